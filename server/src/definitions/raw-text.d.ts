/** Content of the imported file, inlined by the build and the tests. */
declare module '*?raw' {
  const text: string;
  export default text;
}
