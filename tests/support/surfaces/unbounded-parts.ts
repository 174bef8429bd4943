import type { z } from 'zod';

interface Check {
  _zod: { def: { check: string; pattern?: RegExp } };
}

/** What the walk reads of zod's definitions. */
interface Part {
  _zod: {
    def: {
      type: string;
      checks?: Check[];
      /** Of the formats of zod itself, such as dates. */
      pattern?: RegExp;
      shape?: Record<string, Part>;
      element?: Part;
      keyType?: Part;
      valueType?: Part;
      innerType?: Part;
      in?: Part;
      out?: Part;
      left?: Part;
      right?: Part;
      options?: Part[];
      items?: Part[];
    };
  };
}

/** Returns the places in a schema that accept a text, a list or a record of any length, such as `sites.create.name`. */
export function unboundedParts(schema: z.ZodType, place: string): string[] {
  return walk(schema as unknown as Part, place);
}

function walk({ _zod: { def } }: Part, place: string): string[] {
  const checks = (def.checks ?? []).map((check) => check._zod.def);
  const hasMaximum = checks.some(({ check }) => check === 'max_length' || check === 'length_equals');
  const own = (what: string) => (hasMaximum ? [] : [`${place}: ${what}`]);
  const within = (parts: (Part | undefined)[]) => parts.flatMap((part) => (part ? walk(part, place) : []));
  switch (def.type) {
    case 'string':
      return [def, ...checks].some(({ pattern }) => pattern && isOfLimitedLength(pattern)) ? [] : own('text');
    case 'array':
      return [...own('list'), ...(def.element ? walk(def.element, `${place}[]`) : [])];
    case 'record':
      return [
        ...(def.keyType?._zod.def.type === 'enum' ? [] : own('record')),
        ...(def.valueType ? walk(def.valueType, `${place}{}`) : []),
      ];
    case 'object':
      return Object.entries(def.shape ?? {}).flatMap(([name, part]) => walk(part, `${place}.${name}`));
    case 'any':
    case 'unknown':
      return own('anything');
    case 'pipe':
      // One of a few words.
      if (def.out?._zod.def.type === 'boolean') return [];
      return within(def.in?._zod.def.type === 'transform' ? [def.out] : [def.in]);
    default:
      return within([def.innerType, def.left, def.right, ...(def.options ?? []), ...(def.items ?? [])]);
  }
}

/** Whether an anchored pattern has no quantifier without an end. */
function isOfLimitedLength({ source }: RegExp): boolean {
  const plain = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gu, 'x');
  return plain.startsWith('^') && plain.endsWith('$') && !/[*+]|\{\d+,\}/u.test(plain);
}
