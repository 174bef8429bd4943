import type { Method, Route } from './route.ts';

/** What exists at an address: the routes of each method, and the parameters in the path. */
export interface Match {
  params: Record<string, string>;
  methods: Map<Method, Route[]>;
}

interface Pattern {
  segments: string[];
  methods: Map<Method, Route[]>;
}

/** Returns a function that finds what exists at a path, or null for an address that does not exist. */
export function createMatcher(routes: readonly Route[]): (pathname: string) => Match | null {
  const patterns = new Map<string, Pattern>();
  for (const route of routes) {
    const pattern = patterns.get(route.path) ?? { segments: route.path.split('/'), methods: new Map() };
    pattern.methods.set(route.method, [...(pattern.methods.get(route.method) ?? []), route]);
    patterns.set(route.path, pattern);
  }
  // Literal segments win over parameters: `/sites/new` would be found before `/sites/{site_id}`.
  const ordered = [...patterns.values()].sort((a, b) => countParams(a) - countParams(b));
  return (pathname) => {
    const segments = pathname.split('/');
    for (const pattern of ordered) {
      const params = readParams(pattern.segments, segments);
      if (params) return { params, methods: pattern.methods };
    }
    return null;
  };
}

function countParams(pattern: Pattern): number {
  return pattern.segments.filter((segment) => segment.startsWith('{')).length;
}

function readParams(pattern: string[], segments: string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== actual) return null;
      continue;
    }
    const value = decode(actual);
    if (value === null || value === '') return null;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
