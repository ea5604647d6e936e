/** A script for browsers, bundled with what it imports into one text by scripts/page-script.mjs. */
declare module '*?script' {
  const script: string;
  export default script;
}

/** A style sheet as text. */
declare module '*.css' {
  const style: string;
  export default style;
}
