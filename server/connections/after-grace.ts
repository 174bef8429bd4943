/**
 * Ends connections after a grace period, once what has arrived within it has been read: a busy process runs a timer that is due
 * before it reads, and would close connections with requests on them.
 * @returns a function that cancels it
 */
export function afterGrace(graceMs: number, end: () => void): () => void {
  let reading: NodeJS.Immediate | undefined;
  const grace = setTimeout(() => {
    reading = setImmediate(end);
  }, graceMs);
  return () => {
    clearTimeout(grace);
    clearImmediate(reading);
  };
}
