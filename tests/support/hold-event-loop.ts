/** Runs nothing else in this thread for so long, as on a busy machine. */
export function holdEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
