/** A first task for the scripted agent, which needs no account: it writes and commits a file, and reports. */
export const EXAMPLE_PROMPT =
  '@write hello.txt Hello from an agent\n@commit Say hello\n@report succeeded hello.txt is committed';
