/** A style sheet as text. */
declare module '*.css' {
  const style: string;
  export default style;
}
