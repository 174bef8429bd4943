interface Content {
  sha256: string;
  size: number;
}

/** What one organization is sending: its bytes, and how many senders each content has. */
interface Arriving {
  bytes: number;
  readonly senders: Map<string, number>;
}

/**
 * Content that organizations are sending and do not have yet. Concurrent uploads share the room that is left: without this,
 * each would find all of it, and together they could fill the disk before any of them is refused.
 */
export class ArrivingContent {
  private readonly organizations = new Map<string, Arriving>();

  /**
   * Counts content until the returned function is called; content that is sent twice counts once. Returns null, and counts
   * nothing, when what arrives already leaves no room for it.
   * @param room how many bytes the organization may store in addition to what it has
   */
  take(organizationId: string, { sha256, size }: Content, room: number): (() => void) | null {
    const arriving = this.organizations.get(organizationId) ?? { bytes: 0, senders: new Map() };
    const senders = arriving.senders.get(sha256) ?? 0;
    if (senders === 0) {
      if (size > 0 && arriving.bytes + size > room) return null;
      arriving.bytes += size;
      this.organizations.set(organizationId, arriving);
    }
    arriving.senders.set(sha256, senders + 1);
    return () => this.end(organizationId, { sha256, size });
  }

  private end(organizationId: string, { sha256, size }: Content): void {
    const arriving = this.organizations.get(organizationId);
    const senders = arriving?.senders.get(sha256);
    if (arriving === undefined || senders === undefined) return;
    if (senders > 1) {
      arriving.senders.set(sha256, senders - 1);
      return;
    }
    arriving.senders.delete(sha256);
    arriving.bytes -= size;
    if (arriving.senders.size === 0) this.organizations.delete(organizationId);
  }
}
