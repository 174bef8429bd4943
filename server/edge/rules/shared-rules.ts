import type { EdgeVersion } from '../ports.ts';
import { compileHeaders, type HeaderApplier } from './header-rules.ts';
import { compileRedirects, type RedirectMatcher } from './redirect-rules.ts';

/** The compiled rules of a version. */
export interface CompiledRules {
  readonly findRedirect: RedirectMatcher;
  readonly applyHeaders: HeaderApplier;
  /** Roughly what they take in memory. */
  readonly bytes: number;
}

/** What a rule and a header of a rule take in addition to their texts: measured with Node 24, rounded up. */
const RULE_BYTES = 768;
const HEADER_BYTES = 160;

interface SharedSet {
  readonly rules: CompiledRules;
  users: number;
}

/**
 * Identical rules of many versions are compiled and held once, only while a view uses them. Each view counts
 * them as its own: the memory limits of views include rules, whichever view is evicted first.
 */
export class SharedRules {
  private readonly sets = new Map<string, SharedSet>();

  /** The number of different rules held. */
  get size(): number {
    return this.sets.size;
  }

  /** Returns the rules of a version, until {@link giveBack} is called as often as this. */
  take(version: EdgeVersion): CompiledRules {
    const { rulesId } = version;
    if (rulesId === null) return compile(version);
    const set = this.sets.get(rulesId) ?? { rules: compile(version), users: 0 };
    set.users += 1;
    this.sets.set(rulesId, set);
    return set.rules;
  }

  giveBack(rulesId: string | null): void {
    const set = rulesId === null ? undefined : this.sets.get(rulesId);
    if (rulesId === null || set === undefined) return;
    set.users -= 1;
    if (set.users === 0) this.sets.delete(rulesId);
  }
}

function compile({ redirects, headers }: EdgeVersion): CompiledRules {
  let bytes = 0;
  for (const { from, to } of redirects) bytes += RULE_BYTES + 2 * from.length + to.length;
  for (const { pattern, operations } of headers) {
    bytes += RULE_BYTES + 2 * pattern.length;
    for (const { name, value } of operations) bytes += HEADER_BYTES + name.length + (value?.length ?? 0);
  }
  return { findRedirect: compileRedirects(redirects), applyHeaders: compileHeaders(headers), bytes };
}
