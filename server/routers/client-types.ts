import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from './app-router.ts';

/** What a program that speaks tRPC with a running installation needs to know; types only (`portage/trpc`). */
export type { ErrorCode, ErrorParams, ErrorShape, FieldError } from '../error-codes.ts';
export type { AppRouter };

/** What each procedure takes, e.g. `RouterInputs['sites']['create']`. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** What each procedure answers, e.g. `RouterOutputs['sites']['list']['items'][number]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
