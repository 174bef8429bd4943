import { compileHeaders, type HeaderApplier } from './header-rules.ts';
import type { EdgeVersion } from './ports.ts';
import { compileRedirects, type RedirectMatcher } from './redirect-rules.ts';

/** The rules of a version, ready to be asked. */
export interface CompiledRules {
  readonly findRedirect: RedirectMatcher;
  readonly applyHeaders: HeaderApplier;
  /** About what they take in memory. */
  readonly bytes: number;
}

/** What a rule and a header of a rule take beside their texts: measured with node 24, rounded up. */
const ruleBytes = 768;
const headerBytes = 160;

interface SharedSet {
  readonly rules: CompiledRules;
  users: number;
}

/**
 * Rules that many versions have alike are compiled and held once. They are held only while a view uses them, and each view weighs
 * them as if it were alone: the bounds of views are theirs too, whichever of the views is given up first.
 */
export class SharedRules {
  private readonly sets = new Map<string, SharedSet>();

  /** How many different rules are held. */
  get size(): number {
    return this.sets.size;
  }

  /** The rules of a version, until {@link giveBack} is called as often as this. */
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
  for (const { from, to } of redirects) bytes += ruleBytes + 2 * from.length + to.length;
  for (const { pattern, operations } of headers) {
    bytes += ruleBytes + 2 * pattern.length;
    for (const { name, value } of operations) bytes += headerBytes + name.length + (value?.length ?? 0);
  }
  return { findRedirect: compileRedirects(redirects), applyHeaders: compileHeaders(headers), bytes };
}
