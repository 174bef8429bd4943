/** Writes a failure that the page survives into the browser's log, where an uncaught one would be a defect. */
export function logFailure(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the console is the only log that a browser has.
  console.error(error);
}
