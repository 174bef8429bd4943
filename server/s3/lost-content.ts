/** Stored content that is missing or damaged: no fault of this program. The log of the engine identifies it by its code. */
export function lostContent(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONTENT_LOST' });
}
