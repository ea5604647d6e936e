/** A script for browsers, bundled with what it imports into one text by scripts/page-script.mjs. */
declare module '*?script' {
  const script: string;
  export default script;
}
