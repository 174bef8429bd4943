import type { App } from '#server/context.ts';
import { findRoomForContent } from '../../limits/require-room-for-content.ts';
import { limitReached } from '../../limits/require-within-limits.ts';
import { findMissingHashes } from '../queries.ts';

interface Content {
  sha256: string;
  size: number;
}

/**
 * The room of an organization for content whose hashes become known one by one. Content that it has already
 * stored takes none, but that is looked up only when it matters: usually once or never.
 */
export class ContentRoom {
  private readonly app: App;
  private readonly organizationId: string;
  private readonly limit: number;
  private roomLeft: number;
  private unknown: Content[] = [];
  private unknownBytes = 0;

  private constructor(app: App, organizationId: string, { room, limit }: { room: number; limit: number }) {
    this.app = app;
    this.organizationId = organizationId;
    this.limit = limit;
    this.roomLeft = room;
  }

  static async open(app: App, organizationId: string): Promise<ContentRoom> {
    return new ContentRoom(app, organizationId, await findRoomForContent(app.db, app, organizationId));
  }

  /** Takes the room that some content needs; each is passed once. @throws limit_stored_bytes */
  async take(content: Content): Promise<void> {
    this.unknown.push(content);
    this.unknownBytes += content.size;
    if (this.unknownBytes <= this.roomLeft) return;
    const sizes = new Map(this.unknown.map(({ sha256, size }) => [sha256, size]));
    this.unknown = [];
    this.unknownBytes = 0;
    const missing = await findMissingHashes(this.app.db, this.organizationId, [...sizes.keys()]);
    for (const sha256 of missing) this.roomLeft -= sizes.get(sha256) ?? 0;
    if (missing.length > 0 && this.roomLeft < 0) throw limitReached('stored_bytes', this.limit);
  }
}
