import { S3Error } from '../s3-error.ts';

/**
 * Returns a field of a form by its lower-case name.
 * @throws InvalidArgument when it is missing or empty
 */
export function requireField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value !== undefined && value !== '') return value;
  throw S3Error.ofArgument(
    name,
    '',
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
  );
}
