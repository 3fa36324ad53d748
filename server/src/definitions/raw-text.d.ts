/** The text of a file. The build and the tests replace the import by it. */
declare module '*?raw' {
  const text: string;
  export default text;
}
