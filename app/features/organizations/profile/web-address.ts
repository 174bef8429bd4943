/** Returns an address with the scheme that people leave out, and anything else as it was typed. */
export function completeWebAddress(typed: string): string {
  const address = typed.trim();
  return /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+([/?#]\S*)?$/u.test(address) ? `https://${address}` : address;
}
