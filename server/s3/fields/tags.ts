import type { Tag } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import { S3_LIMITS } from '../s3-limits.ts';
import { childrenOf, readXml, textOf, type XmlElement } from '../xml/read-xml.ts';

const HEADER = 'x-amz-tagging';

/**
 * Parses the tags of a header, which are written like the query of an address.
 * @throws InvalidArgument, BadRequest, InvalidTag
 */
export function readTagHeader(text: string | null): Tag[] {
  const invalid = () =>
    S3Error.ofArgument(
      HEADER,
      text ?? '',
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
    );
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch {
      throw invalid();
    }
  };
  const pairs = (text ?? '').split('&').filter((pair) => pair !== '');
  const tags = pairs.map((pair): Tag => {
    const at = pair.includes('=') ? pair.indexOf('=') : pair.length;
    const value = pair.slice(at + 1);
    if (value.includes('=')) throw invalid();
    return [decode(pair.slice(0, at)), decode(value)];
  });
  const keys = new Set(tags.map(([key]) => key));
  if (keys.has('') || keys.size < tags.length) throw invalid();
  return requireTags(tags, S3_LIMITS.tagsMax);
}

/**
 * Parses a Tagging document.
 * @throws MalformedXML, BadRequest, InvalidTag
 */
export function readTagging(xml: string, tagsMax: number = S3_LIMITS.tagsMax): Tag[] {
  const [set, ...more] = childrenOf(readXml(xml, 'Tagging'), 'TagSet');
  if (more.length > 0) throw new S3Error('MalformedXML');
  return set === undefined ? [] : readTags(set, tagsMax);
}

/**
 * Returns the tags in an element.
 * @throws MalformedXML, BadRequest, InvalidTag
 */
export function readTags(set: XmlElement, tagsMax: number): Tag[] {
  const tags = childrenOf(set, 'Tag').map((tag): Tag => {
    const [key, value] = [textOf(tag, 'Key'), textOf(tag, 'Value')];
    if (key === null || value === null) throw new S3Error('MalformedXML');
    return [key, value];
  });
  return requireTags(tags, tagsMax);
}

/** @throws BadRequest, as S3 answers too many tags, and InvalidTag */
function requireTags(tags: Tag[], tagsMax: number): Tag[] {
  const isOfBucket = tagsMax === S3_LIMITS.bucketTagsMax;
  if (tags.length > tagsMax) {
    const counted = isOfBucket ? 'Bucket tag count' : 'Object tags';
    throw new S3Error('BadRequest', `${counted} cannot be greater than ${tagsMax}`);
  }
  const keys = new Set<string>();
  for (const [key, value] of tags) {
    if (key.toLowerCase().startsWith('aws:')) {
      const message = isOfBucket
        ? 'System tags cannot be added/updated by requester'
        : 'Your TagKey cannot be prefixed with aws:';
      throw new S3Error('InvalidTag', message, { TagKey: key });
    }
    if (!isTagKey(key)) {
      throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid', { TagKey: key });
    }
    if (value.length > S3_LIMITS.tagValueMax || !isTagText(value)) {
      throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid', {
        TagKey: key,
        TagValue: value,
      });
    }
    if (keys.has(key)) {
      throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key', { TagKey: key });
    }
    keys.add(key);
  }
  return tags;
}

function isTagKey(key: string): boolean {
  return key !== '' && key.length <= S3_LIMITS.tagKeyMax && isTagText(key);
}

function isTagText(text: string): boolean {
  return /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u.test(text);
}
