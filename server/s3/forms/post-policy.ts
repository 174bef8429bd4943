import { isRecord } from '../is-record.ts';
import { S3Error } from '../s3-error.ts';

/** Fields that a policy need not mention. */
const FREE: ReadonlySet<string> = new Set([
  'policy',
  'x-amz-signature',
  'file',
  'awsaccesskeyid',
  'signature',
]);
const CONDITIONS_MAX = 100;

/** Limits of the file's size set by a policy. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

interface Condition {
  readonly operator: 'eq' | 'starts-with';
  /** As the policy names it: a dollar sign, and a name whose case does not matter. */
  readonly field: string;
  readonly value: string;
}

/**
 * Returns when a form matches its policy ("Creating a POST policy"); every field must be mentioned.
 * @param fields by lower-case name, including `bucket`
 * @throws InvalidPolicyDocument, AccessDenied
 */
export function checkPolicy(
  policy: string,
  fields: ReadonlyMap<string, string>,
  now: number,
): SizeRange | null {
  const { expiration, conditions, range } = readPolicy(policy);
  if (now > expiration) throw new S3Error('AccessDenied', 'Invalid according to Policy: Policy expired.');
  for (const { operator, field, value } of conditions) {
    const name = field.startsWith('$') ? field.slice(1).toLowerCase() : null;
    const sent = (name === null ? undefined : fields.get(name)) ?? '';
    const holds =
      operator === 'eq' ? sent === value : valuesOf(name, sent).every((each) => each.startsWith(value));
    if (!holds || name === null || !fields.has(name)) throw failed(operator, field, value);
  }
  const mentioned = new Set(conditions.map(({ field }) => field.slice(1).toLowerCase()));
  for (const field of fields.keys()) {
    // A checksum grants nothing more: it only restricts the file.
    const isFree = FREE.has(field) || field.startsWith('x-ignore-') || field.startsWith('x-amz-checksum-');
    if (isFree || mentioned.has(field)) continue;
    throw new S3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${field}`);
  }
  return range;
}

/** A list of content types is allowed when each of them is. */
function valuesOf(field: string | null, sent: string): string[] {
  return field === 'content-type' ? sent.split(',').map((type) => type.trim()) : [sent];
}

function failed(operator: string, field: string, value: string): S3Error {
  return new S3Error(
    'AccessDenied',
    `Invalid according to Policy: Policy Condition failed: ["${operator}", "${field}", "${value}"]`,
  );
}

function readPolicy(text: string): { expiration: number; conditions: Condition[]; range: SizeRange | null } {
  const invalid = (reason: string) => new S3Error('InvalidPolicyDocument', `Invalid Policy: ${reason}`);
  if (text.trim() === '') throw invalid("Expecting '{' but found End-of-Input");
  if (!/^[A-Za-z0-9+/\s]+(?:=\s*){0,2}$/.test(text)) throw invalid('invalid Base64 encoding.');
  let document: unknown;
  try {
    document = JSON.parse(withJsonEscapes(Buffer.from(text, 'base64').toString('utf8')));
  } catch {
    throw invalid('Invalid JSON.');
  }
  if (!isRecord(document)) throw invalid('Invalid JSON.');
  const { expiration, conditions } = document;
  const unexpected = Object.keys(document).find((name) => name !== 'expiration' && name !== 'conditions');
  if (unexpected !== undefined) throw invalid(`Unexpected: '${unexpected}'`);
  if (typeof expiration !== 'string') throw invalid('Policy missing expiration.');
  const at = Date.parse(expiration);
  if (Number.isNaN(at) || !expiration.endsWith('Z'))
    throw invalid(`Invalid 'expiration' value: '${expiration}'`);
  if (conditions === undefined) throw invalid('Policy missing conditions.');
  if (!Array.isArray(conditions)) throw invalid("Invalid 'conditions' value: must be a List.");
  if (conditions.length === 0 || conditions.length > CONDITIONS_MAX)
    throw invalid('Policy missing conditions.');
  const read = conditions.map((condition: unknown) => readCondition(condition, invalid));
  const ranges = read.filter((each) => 'max' in each);
  return {
    expiration: at,
    conditions: read.filter((each) => 'operator' in each),
    range: ranges.at(-1) ?? null,
  };
}

function readCondition(condition: unknown, invalid: (reason: string) => S3Error): Condition | SizeRange {
  if (Array.isArray(condition)) return readListCondition(condition, invalid);
  if (!isRecord(condition)) throw invalid('Invalid condition test: must be a List or Object.');
  const [entry, ...more] = Object.entries(condition);
  if (entry === undefined || more.length > 0) {
    throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.');
  }
  const [field, value] = entry;
  if (typeof value !== 'string') throw invalid('Invalid Simple-Condition: value must be a string.');
  return { operator: 'eq', field: `$${field}`, value };
}

function readListCondition(
  [operator, first, second, ...more]: readonly unknown[],
  invalid: (reason: string) => S3Error,
): Condition | SizeRange {
  if (typeof operator !== 'string') throw invalid('Invalid Condition: missing operation identifier.');
  const name = operator.toLowerCase();
  if (name !== 'eq' && name !== 'starts-with' && name !== 'content-length-range') {
    throw invalid(`Invalid Condition: unknown operation '${operator}'.`);
  }
  if (second === undefined || more.length > 0) throw invalid(`Invalid ${name}: wrong number of arguments.`);
  if (name === 'content-length-range') return readRange(first, second, invalid);
  if (typeof first !== 'string' || typeof second !== 'string') throw invalid('Invalid JSON.');
  return { operator: name, field: first, value: second };
}

/** Policies may escape a dollar sign and a vertical tab, which JSON does not support. */
function withJsonEscapes(json: string): string {
  return json.replace(/\\([\s\S])/g, (escaped, letter) =>
    letter === '$' ? '$' : letter === 'v' ? '\\u000b' : escaped,
  );
}

function readRange(min: unknown, max: unknown, invalid: (reason: string) => S3Error): SizeRange {
  const [from, to] = [toSize(min), toSize(max)];
  if (from === null || to === null || to < from) throw invalid('Invalid content-length-range.');
  return { min: from, max: to };
}

/** A number of bytes, which policies also write as a text; null for anything else. */
function toSize(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const size = Number(value);
  return Number.isSafeInteger(size) && size >= 0 && value !== '' ? size : null;
}
