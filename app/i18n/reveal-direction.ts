/** Would turn the direction of what follows: `a\u202Egnp.exe` looks like `aexe.png`. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text from elsewhere as it is shown: characters that would turn the direction of what follows are visible. */
export function revealDirection(text: string): string {
  return text.replace(DIRECTION, '\ufffd');
}
