import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { headerOf, type S3Request } from '../s3-request.ts';

/** A form up to its file, whose content has not been read. */
export interface FormStart {
  /** Those before the file, by lower-case name; of several with one name the first. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: Readable;
  /** As the browser names it; empty when it does not. */
  readonly fileName: string;
}

/** A form that is arriving. */
interface OpenForm {
  /** @throws MalformedPOSTRequest, MaxPostPreDataLengthExceededError, IncompleteBody; InvalidArgument without a file */
  readonly untilFile: Promise<FormStart>;
  /** Resolves when all of it has come. */
  readonly end: Promise<void>;
}

/**
 * Starts to read the form in a request's body.
 * @throws PreconditionFailed for any other kind of body
 */
export function openForm(request: S3Request): OpenForm {
  const type = headerOf(request, 'content-type') ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type)) {
    throw new S3Error('PreconditionFailed', undefined, {
      Condition: 'Bucket POST must be of the enclosure-type multipart/form-data',
    });
  }
  const parser = createParser(type);
  const begun = Promise.withResolvers<FormStart>();
  const ended = Promise.withResolvers<void>();
  // The one that is awaited reports it; the other must not be an unhandled rejection.
  ended.promise.catch(() => undefined);
  let receiving: Readable | null = null;
  const fail = (error: S3Error) => {
    begun.reject(error);
    // Otherwise the reader of the file would wait for its end forever.
    receiving?.destroy(error);
    ended.reject(error);
    request.body.unpipe();
    request.body.resume();
  };
  const fields = new Map<string, string>();
  let bytes = 0;
  parser.on('field', (name, value, isNameCut, isValueCut) => {
    bytes += name.length + value.length;
    if (name === '') fail(new S3Error('MalformedPOSTRequest'));
    else if (isNameCut || isValueCut || bytes > S3_LIMITS.formFieldsBytesMax) {
      fail(new S3Error('MaxPostPreDataLengthExceededError'));
    } else if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value);
  });
  parser.on('file', (name, file, fileName) => {
    // No one reads the file of a refused form, and its truncated end must not be an uncaught error.
    file.on('error', () => undefined);
    if (name.toLowerCase() !== 'file') {
      file.resume();
      fail(notOneFile());
      return;
    }
    receiving = file;
    // What follows the file has not been checked against the policy.
    begun.resolve({ fields: new Map(fields), file, fileName: fileName ?? '' });
  });
  parser.on('finish', () => {
    begun.reject(notOneFile());
    ended.resolve();
  });
  parser.on('error', () => fail(new S3Error('MalformedPOSTRequest')));
  request.body.on('aborted', () => fail(new S3Error('IncompleteBody')));
  request.body.pipe(parser);
  return { untilFile: begun.promise, end: ended.promise };
}

/** @throws MalformedPOSTRequest for a type without a boundary */
function createParser(contentType: string): ReturnType<typeof Busboy> {
  try {
    return Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldSize: S3_LIMITS.formFieldsBytesMax,
        fields: S3_LIMITS.formFieldsMax,
        files: 1,
        parts: S3_LIMITS.formFieldsMax + 2,
        headerPairs: 20,
        fileSize: S3_LIMITS.putBytesMax + 1,
      },
      // Only by its name: some clients give every field a file name.
      isPartAFile: (name) => name?.toLowerCase() === 'file',
    });
  } catch {
    throw new S3Error('MalformedPOSTRequest');
  }
}

function notOneFile(): S3Error {
  return new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.');
}
