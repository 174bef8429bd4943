/**
 * Repeats a request, at most `attempts` times every 50 ms, until the result is right.
 * @throws with the last result otherwise
 */
export async function pollUntil<T>(
  ask: () => Promise<T>,
  isRight: (response: T) => boolean,
  attempts = 600,
): Promise<T> {
  let last: T | undefined;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    last = await ask();
    if (isRight(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not within ${attempts} attempts; the last answer is ${JSON.stringify(last)}`);
}
