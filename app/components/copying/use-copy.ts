import { useLingui } from '@lingui/react/macro';
import { notifyFailure } from '../notifications/notify.ts';
import { useTransient } from '../use-transient.ts';
import { copyText } from './copy-text.ts';

/** How long the copied state lasts. */
const COPIED_MS = 2000;

/**
 * Returns whether a text has just been copied, and a function that copies one and resolves to whether that worked; a failure is said
 * at the edge of the screen.
 */
export function useCopy(): [isCopied: boolean, copy: (text: string) => Promise<boolean>] {
  const { t } = useLingui();
  const [isCopied, showCopied, hideCopied] = useTransient(COPIED_MS);
  const copy = async (text: string) => {
    const isDone = await copyText(text);
    if (isDone) {
      showCopied();
    } else {
      hideCopied();
      notifyFailure(t`The browser did not allow copying. Select the text and copy it yourself.`);
    }
    return isDone;
  };
  return [isCopied, copy];
}
