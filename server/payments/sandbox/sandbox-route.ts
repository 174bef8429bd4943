import { type FormFields, wholeOf } from './form.ts';
import type { SandboxStore } from './sandbox-store.ts';

/** A request inside its transaction. */
export interface SandboxRequest {
  store: SandboxStore;
  path: string;
  /** The ids in the path, in order; a route without a second one never reads it. */
  ids: readonly [string, string];
  form: FormFields;
  /** Whether it was asked with the publishable key, as a browser does. */
  isPublic: boolean;
  /** Where the hosted pages of the sandbox are. */
  publicUrl: string;
}

/** One line of what the sandbox can do. A field that is not accepted is refused, as the provider does. */
export interface SandboxRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  accepts: readonly string[];
  /** May be asked with the publishable key and the object's client secret. */
  isOpen?: boolean;
  run(request: SandboxRequest): Promise<{ object: string }>;
}

/** Returns a list as the wire has it. */
export function listAnswer<T>(url: string, data: T[], hasMore = false) {
  return { object: 'list' as const, data, has_more: hasMore, url };
}

const PAGE_DEFAULT = 10;
const PAGE_MAX = 100;

/** Returns how many objects of a list were asked for. */
export function pageSizeOf(form: FormFields): number {
  return Math.min(Math.max(wholeOf(form, 'limit') ?? PAGE_DEFAULT, 1), PAGE_MAX);
}
