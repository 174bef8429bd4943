import { z } from 'zod';

/** A JSON Schema as zod produces it. */
type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Returns the TypeScript type of a schema's input or output, on one line. It covers everything that JSON can
 * carry; what JSON Schema cannot express (a transformation) is `unknown`.
 * @throws Error for a schema that refers to itself
 */
export function printType(schema: z.ZodType, io: 'input' | 'output'): string {
  return print(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

/** A property name that needs no quotes. */
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function print(schema: JsonSchema | boolean): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  if (schema.$ref !== undefined) throw new Error(`no type for a schema that refers to ${schema.$ref}`);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  // Next to a type, the alternatives only narrow its values: formats and patterns of a string.
  if (schema.type !== undefined) return union([schema.type].flat().map((type) => printOf(type, schema)));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return union(alternatives.map(print));
  if (schema.allOf !== undefined) return schema.allOf.map((part) => `(${print(part)})`).join(' & ');
  return 'unknown';
}

function printOf(type: string, schema: JsonSchema): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return printArray(schema);
    case 'object':
      return printObject(schema);
    default:
      return type;
  }
}

function printArray({ items, prefixItems }: JsonSchema): string {
  if (prefixItems !== undefined) return `[${prefixItems.map(print).join(', ')}]`;
  return `(${Array.isArray(items) ? union(items.map(print)) : print(items ?? true)})[]`;
}

function printObject({ properties, required = [], additionalProperties, propertyNames }: JsonSchema): string {
  const entries = Object.entries(properties ?? {}).map(([name, value]) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return required.includes(name) ? `${key}: ${print(value)}` : `${key}?: ${print(value)} | undefined`;
  });
  if (properties !== undefined) return `{ ${entries.join('; ')} }`;
  const key = propertyNames === undefined ? 'string' : print(propertyNames);
  // A record with known keys has them all; JSON Schema then requires them.
  const isPartial = key !== 'string' && required.length === 0;
  const record = `Record<${key}, ${print(additionalProperties ?? true)}>`;
  return isPartial ? `Partial<${record}>` : record;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}
