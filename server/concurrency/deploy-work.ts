import type { PreparedSeal } from '../services/deployments/prepare-seal.ts';
import { ArrivingContent } from './arriving-content.ts';
import { ByteShare } from './byte-share.ts';
import { BytesHeld } from './bytes-held.ts';
import { OrganizationQueue } from './organization-queue.ts';
import { SharedWork } from './shared-work.ts';

/**
 * How much deploy work one process does at the same time, and how much one organization may have waiting: the
 * one place for these limits. Beyond them the response is 429 with Retry-After.
 */
export const DEPLOY_WORK_LIMITS = {
  /** Manifests and their parts being written to the database. */
  manifests: { atOnce: 4, atOncePerKey: 2, waitingPerKeyMax: 64 },
  /** Inspecting a version before it is sealed. */
  seals: { atOnce: 3, atOncePerKey: 1, waitingPerKeyMax: 64 },
  /** Archives being received: no more than may then be read or wait for it. */
  receptions: { atOnce: Number.POSITIVE_INFINITY, atOncePerKey: 18, waitingPerKeyMax: 0 },
  /** Archives being read, and their content stored. */
  archives: { atOnce: 4, atOncePerKey: 2, waitingPerKeyMax: 16 },
  /** Archives being written: each is as fast as its reader, so they are counted but do not wait. */
  downloads: { atOnce: Number.POSITIVE_INFINITY, atOncePerKey: 8, waitingPerKeyMax: 0 },
} as const;

/** Small files of all archives being read; anything beyond waits on the disk. */
const ARCHIVE_MEMORY_BYTES = 192 * 1024 * 1024;

/** The shared limits on long work that deploys cause in a process; keys are organizations. */
export interface DeployWork {
  manifests: OrganizationQueue;
  seals: OrganizationQueue;
  receptions: OrganizationQueue;
  archives: OrganizationQueue;
  downloads: OrganizationQueue;
  archiveMemory: ByteShare;
  /** Of archives on the disk. */
  archiveBytes: BytesHeld;
  /** Of large JSON bodies in memory. */
  bodyBytes: BytesHeld;
  arriving: ArrivingContent;
  /** By version: it is inspected once, however many requests seal it at the same time. */
  sealing: SharedWork<PreparedSeal | null>;
}

/** Returns the limits of one process. */
export function createDeployWork(): DeployWork {
  return {
    manifests: new OrganizationQueue(DEPLOY_WORK_LIMITS.manifests),
    seals: new OrganizationQueue(DEPLOY_WORK_LIMITS.seals),
    receptions: new OrganizationQueue(DEPLOY_WORK_LIMITS.receptions),
    archives: new OrganizationQueue(DEPLOY_WORK_LIMITS.archives),
    downloads: new OrganizationQueue(DEPLOY_WORK_LIMITS.downloads),
    archiveMemory: new ByteShare(ARCHIVE_MEMORY_BYTES),
    archiveBytes: new BytesHeld(),
    bodyBytes: new BytesHeld(),
    arriving: new ArrivingContent(),
    sealing: new SharedWork(),
  };
}
