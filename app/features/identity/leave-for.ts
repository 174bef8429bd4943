/** Leads the browser to an address. It never resolves, so that a form stays busy until its page is gone. */
export function leaveFor(address: string): Promise<never> {
  window.location.assign(address);
  return new Promise(() => undefined);
}
