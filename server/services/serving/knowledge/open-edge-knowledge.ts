import { join } from 'node:path';
import type { Config } from '#server/config/config.ts';
import type { App } from '#server/context.ts';
import { MINUTE_MS } from '#server/durations.ts';
import { findSealedCertificate } from '../find-edge-certificate.ts';
import { findKnownHost } from '../find-known-host.ts';
import { type HostParts, withOwnStops } from '../known-host.ts';
import { loadEdgeVersion } from '../load-edge-version.ts';
import { ChangeMarks } from './change-marks.ts';
import { EdgeKnowledge } from './edge-knowledge.ts';
import { KnowledgeFolder } from './knowledge-folder.ts';

const folderOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'edge-knowledge');

/**
 * Returns whether this machine keeps what its edges have learnt, so that an edge may start from it. An
 * embedded database is a file on the same disk: it is there whenever this would be.
 */
export async function isKnowledgeKept(config: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<boolean> {
  if (config.databaseUrl.startsWith('sqlite:')) return false;
  const folder = new KnowledgeFolder(folderOf(config), Buffer.alloc(0));
  return folder.touch('position', '').catch(() => false);
}

/**
 * Opens what the edges of this machine have learnt; null when they keep nothing: with an embedded database, a
 * single process, or a disk that refuses.
 */
export async function openEdgeKnowledge(
  app: App,
  parts: HostParts,
): Promise<{ knowledge: EdgeKnowledge; marks: ChangeMarks } | null> {
  const { config, clock, logger, siblings, sealer } = app;
  if (siblings.isAlone || config.databaseUrl.startsWith('sqlite:')) return null;
  const folder = new KnowledgeFolder(folderOf(config), sealer.deriveKey('edge knowledge'));
  let quietUntil = 0;
  const onError = (error: unknown) => {
    if (clock.now() < quietUntil) return;
    quietUntil = clock.now() + MINUTE_MS;
    logger.warn({ err: error }, 'what an edge has learnt cannot be kept for an outage of the database');
  };
  try {
    await folder.prepare();
  } catch (error) {
    onError(error);
    return null;
  }
  const now = () => clock.now();
  const marks = new ChangeMarks({ folder, now, onError });
  const sources = {
    async findHost(hostname: string) {
      const host = await findKnownHost(app, hostname);
      return host && withOwnStops(host, parts);
    },
    findCertificate: (hostname: string) => findSealedCertificate(app, hostname),
    loadVersion: (versionId: string) => loadEdgeVersion(app, versionId),
  };
  return { knowledge: new EdgeKnowledge({ folder, marks, sources, now, onError }), marks };
}
