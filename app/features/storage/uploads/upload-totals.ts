import type { QueuedUpload } from './upload-queue.ts';

/** How far a list of uploads is. */
export interface UploadTotals {
  count: number;
  done: number;
  sentBytes: number;
  allBytes: number;
  percent: number;
  /** Whether something is being sent or will be without a decision by the person. */
  isBusy: boolean;
  /** Those that wait for a decision by the person. */
  stuck: number;
}

/** Adds up a list of uploads. */
export function totalsOf(list: readonly QueuedUpload[]): UploadTotals {
  const count = list.length;
  const statusIs = (...statuses: QueuedUpload['status'][]) =>
    list.filter(({ status }) => statuses.includes(status)).length;
  const done = statusIs('done');
  const allBytes = list.reduce((sum, { file }) => sum + file.size, 0);
  const sentBytes = list.reduce((sum, { sent }) => sum + sent, 0);
  return {
    count,
    done,
    sentBytes,
    allBytes,
    // Files may be empty.
    percent: allBytes === 0 ? (done / Math.max(count, 1)) * 100 : (sentBytes / allBytes) * 100,
    isBusy: statusIs('waiting', 'sending') > 0,
    stuck: statusIs('exists', 'failed'),
  };
}
