import { type Json, toJson } from './openapi-schemas.ts';
import { escapeHtml, toText } from './page-text.ts';

/** Parts of a schema that have fields of their own. */
const PARTS = ['items', 'additionalProperties', 'anyOf'] as const;
const REFERENCE = /^#\/components\/schemas\/(\w+)$/;

/** Returns a JSON Schema for people: its form, then each field with its form and its words, at any depth. */
export function toSchemaList(schema: unknown): string {
  if (schema === undefined) return '';
  const form = toForm(schema);
  return (form === 'object' ? '' : `<p>${form}</p>`) + toFields(schema);
}

function toFields(schema: unknown): string {
  const { properties, required, ...parts } = toJson(schema);
  const needed = new Set(Array.isArray(required) ? required : []);
  const rows = Object.entries(toJson(properties)).map(([name, property]) => {
    const { description } = toJson(property);
    const form = toForm(property) + (needed.has(name) ? '' : ', optional');
    const words = typeof description === 'string' ? `<br>${toText(description)}` : '';
    return `<dt><code>${escapeHtml(name)}</code></dt><dd><small>${form}</small>${words}${toFields(property)}</dd>`;
  });
  const own = rows.length > 0 ? `<dl>${rows.join('')}</dl>` : '';
  return own + PARTS.flatMap((part) => [parts[part]].flat().map(toFieldsIfAny)).join('');
}

function toFieldsIfAny(schema: unknown): string {
  return typeof schema === 'object' && schema !== null ? toFields(schema) : '';
}

/** Returns the kind of a value in words, such as `integer, 1 to 12`. */
function toForm(value: unknown): string {
  const schema = toJson(value);
  const { type, format, items, anyOf, $ref } = schema;
  const [, name] = REFERENCE.exec(String($ref)) ?? [];
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`;
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(toForm))].join(' or ');
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : null;
  if (values !== null) return values.map((each) => `<code>${toLiteral(each)}</code>`).join(' or ');
  if (type === 'array') return `array of ${toForm(items)}`;
  const kind = Array.isArray(type) ? type.join(' or ') : (format ?? type ?? 'any value');
  return [escapeHtml(String(kind)), ...boundsOf(schema)].join(', ');
}

function boundsOf(schema: Json): string[] {
  const between = (least: unknown, most: unknown, unit: string) => {
    if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
    if (most !== undefined) return [`at most ${most}${unit}`];
    return least === undefined ? [] : [`at least ${least}${unit}`];
  };
  const { minimum, maximum, minLength, maxLength } = schema;
  return [
    ...between(minimum, maximum, ''),
    ...between(minLength, maxLength, ' characters'),
    ...('default' in schema ? [`by default <code>${toLiteral(schema.default)}</code>`] : []),
  ];
}

function toLiteral(value: unknown): string {
  return escapeHtml(JSON.stringify(value));
}
