import { isUnreachable, readError } from './i18n/errors/read-error.ts';

/**
 * The mutations that create something: repeated, one of them would create it twice or find its name taken. The others set or remove
 * something and can be repeated safely; a kept response would only hide what others have changed since.
 */
const MAKING = /\.(create|add(?!Files)|invite|acceptInvitation|report|open|redeliver|rotateSecret|test)/;

/** Whether a mutation is sent with a key. */
export const makesSomething = (path: string) => MAKING.test(path);

/** How long a mutation whose response was lost keeps its key: not so long that somebody else may have undone it. */
const SAME_MS = 120_000;

/** How long to wait before the second attempt, and at most before one; each wait is twice as long as the one before. */
const WAIT_MS = 1000;
const WAIT_MS_MAX = 8000;

interface Submission {
  /** What is sent, and where to. */
  content: string;
  key: string;
  until: number;
}

/**
 * Returns a function that sends mutations. One that creates something has an `Idempotency-Key`, so that a lost response never creates
 * it twice: it is repeated once automatically, and has the same key again when the person then submits the same. Any other mutation
 * of the page ends that, because it may have undone the first.
 */
export function createSubmissions(wait = waitFor) {
  let lost: Submission | null = null;
  return async <T>(path: string, input: unknown, send: (key: string | null) => Promise<T>): Promise<T> => {
    const before = lost;
    lost = null;
    if (!makesSomething(path)) return send(null);
    const content = `${path} ${JSON.stringify(input)}`;
    const isSame = before?.content === content && Date.now() < before.until;
    // Random in pages without https too, where `randomUUID` is missing.
    const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
    const submission = isSame ? before : { content, key: newKey(), until: 0 };
    try {
      return await sendAgain(() => send(submission.key), wait);
    } catch (error) {
      if (isLost(error)) lost = { ...submission, until: submission.until || Date.now() + SAME_MS };
      throw error;
    }
  };
}

async function sendAgain<T>(send: () => Promise<T>, wait: (ms: number) => Promise<void>): Promise<T> {
  for (let ms = WAIT_MS; ; ms *= 2) {
    try {
      return await send();
    } catch (error) {
      // An attempt that is still running is waited for. After two without a response, the person decides.
      const mayFollow = isAtWork(error) || (ms === WAIT_MS && isUnreachable(error));
      if (ms > WAIT_MS_MAX || !mayFollow) throw error;
    }
    await wait(ms);
  }
}

/** Whether it is unknown if the mutation took effect. */
const isLost = (error: unknown) => readError(error) === null || isAtWork(error);

/** Whether an earlier attempt is still running. */
const isAtWork = (error: unknown) => readError(error)?.code === 'idempotency_request_running';

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
