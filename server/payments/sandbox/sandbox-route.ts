import { type FormFields, wholeOf } from './form.ts';
import type { SandboxStore } from './sandbox-store.ts';

/** A request inside its transaction. */
export interface SandboxRequest {
  store: SandboxStore;
  path: string;
  /** The ids in the path, in order; a route without a second one never reads it. */
  ids: readonly [string, string];
  form: FormFields;
  /** Whether it was sent with the publishable key, as by a browser. */
  isPublic: boolean;
  /** Where the hosted pages of the sandbox are. */
  publicUrl: string;
}

/** One operation of the sandbox. A field that is not listed is rejected, as at the provider. */
export interface SandboxRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  accepts: readonly string[];
  /** May be called with the publishable key and the object's client secret. */
  isOpen?: boolean;
  run(request: SandboxRequest): Promise<{ object: string }>;
}

/** Returns a list in its wire format. */
export function listResponse<T>(url: string, data: T[], hasMore = false) {
  return { object: 'list' as const, data, has_more: hasMore, url };
}

const PAGE_DEFAULT = 10;
const PAGE_MAX = 100;

/** Returns how many objects of a list were requested. */
export function pageSizeOf(form: FormFields): number {
  return Math.min(Math.max(wholeOf(form, 'limit') ?? PAGE_DEFAULT, 1), PAGE_MAX);
}
