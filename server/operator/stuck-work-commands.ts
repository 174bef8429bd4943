import { listStuckWork } from '../services/stuck-work/list-stuck-work.ts';
import { retryStuckWork } from '../services/stuck-work/retry-stuck-work.ts';
import { type Command, command } from './command.ts';
import { plain, table } from './format-text.ts';

export const stuckWorkCommands: readonly Command[] = [
  command({
    name: 'stuck list',
    summary: 'Show what the jobs could not do, why, and when they will retry it',
    run: listStuckWork,
    show: (items) =>
      table(
        ['JOB', 'ITEM', 'ATTEMPTS', 'SINCE', 'NEXT ATTEMPT', 'REASON'],
        items.map(({ job, item, attempts, first_failed_at, next_attempt_at, error }) => [
          job,
          item ?? 'the whole run',
          attempts,
          first_failed_at,
          next_attempt_at,
          error,
        ]),
        'Nothing is stuck.',
      ),
  }),
  command({
    name: 'stuck retry',
    summary: 'Retry what a job could not do at its next run',
    args: ['JOB'],
    run: (context, { args }) => retryStuckWork(context, { job: args[0] ?? '' }),
    show: ({ job, retried }) => `${retried} of ${plain(job)} will be retried at its next run.`,
  }),
];
