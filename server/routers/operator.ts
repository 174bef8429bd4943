import { router } from './trpc.ts';

/** What whoever runs this installation may do, by an operator token. */
export const operatorRouter = router({});
