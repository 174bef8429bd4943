import type { ContentChecksum } from '../body/checksums.ts';
import type { S3Access, StoredChecksum, Tag } from '../ports.ts';
import { writeXml, type XmlFields } from '../xml/write-xml.ts';

/** The organization as the owner of what is listed, and as whoever began an upload. */
export function ownerFields({ ownerId, ownerName }: S3Access): XmlFields {
  return { ID: ownerId, DisplayName: ownerName };
}

/** The checksum of a part. */
export function checksumFields({ algorithm, value }: ContentChecksum): XmlFields {
  return { [`Checksum${algorithm}`]: value };
}

/** The checksum of an object, with its type. */
export function objectChecksumFields(checksum: StoredChecksum): XmlFields {
  return { ...checksumFields(checksum), ChecksumType: checksum.type };
}

/** The document of a bucket's or an object's tags. */
export function writeTagging(tags: readonly Tag[]): string {
  const Tag = tags.map(([Key, Value]) => ({ Key, Value }));
  return writeXml('Tagging', { TagSet: { Tag } });
}
