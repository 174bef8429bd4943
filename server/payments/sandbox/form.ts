/** A submitted form: texts, and nested fields. */
export interface FormFields {
  [name: string]: string | FormFields;
}

/** Fields of one request, and how deep they may nest. */
const FIELDS_MAX = 5_000;
const DEPTH_MAX = 6;

/**
 * Returns `a[b][0]=c` as nested fields, in the SDK's notation.
 * @throws RangeError for more or deeper fields than the SDK would send
 */
export function parseForm(text: string): FormFields {
  const fields: FormFields = Object.create(null);
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    count += 1;
    const path = name.split(/\]?\[|\]$/).filter((part) => part !== '');
    if (count > FIELDS_MAX || path.length > DEPTH_MAX) throw new RangeError('too many fields');
    setField(fields, path, value);
  }
  return fields;
}

function setField(fields: FormFields, path: readonly string[], value: string): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  const known = fields[name];
  const inner: FormFields = typeof known === 'object' ? known : Object.create(null);
  fields[name] = inner;
  setField(inner, rest, value);
}

/** Returns a text field; undefined when it was not sent. */
export function textOf(fields: FormFields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns an integer.
 * @throws RangeError for anything else
 */
export function wholeOf(fields: FormFields, name: string): number | undefined {
  const text = textOf(fields, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || text.trim() === '') throw new RangeError(`${name} is no whole number`);
  return value;
}

/** Returns the fields nested in a field; none when it was not sent. */
export function fieldsOf(fields: FormFields, name: string): FormFields {
  const value = fields[name];
  return typeof value === 'object' ? value : Object.create(null);
}

/** Returns a list of fields in its order. */
export function listOf(fields: FormFields, name: string): FormFields[] {
  return Object.entries(fieldsOf(fields, name))
    .sort(([a], [b]) => Number(a) - Number(b))
    .flatMap(([, value]) => (typeof value === 'object' ? [value] : []));
}

/** Returns texts by name, the form in which metadata is sent. */
export function textsOf(fields: FormFields, name: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldsOf(fields, name)).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  );
}
