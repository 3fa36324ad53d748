/** Content of the imported file. The bundler and the test runner replace the import by this text. */
declare module '*?raw' {
  const text: string;
  export default text;
}
