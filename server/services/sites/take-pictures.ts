import type { App, RequestContext } from '#server/context.ts';
import { isOutage } from '#server/outage.ts';
import { type FrontPage, hasFrontPage, openFrontPage } from '../serving/open-front-page.ts';
import { ICON_BYTES_MAX, ICON_PATHS, PICTURE_PAUSE_MS, rasterType } from './picture-rules.ts';
import { platformHost } from './platform-host.ts';

/** A site whose picture does not show what is live. */
interface UnpicturedSite {
  id: string;
  subdomain: string;
  version_id: string | null;
  spa_fallback: number;
  wanted_at: number | null;
}

interface Picture {
  kind: 'page' | 'icon';
  mediaType: string;
  bytes: Buffer;
}

/**
 * Makes the small pictures of sites that were published or rolled back since, one at a time, and returns how many sites were seen to.
 * Organizations take turns, and a site that is deployed again and again waits half a minute between two. Where a picture cannot be
 * had (no browser, nothing to see, a page that takes too much) the site's own icon takes its place, or nothing.
 */
export async function takePictures(
  { app }: Pick<RequestContext, 'app'>,
  stopping?: AbortSignal,
): Promise<{ seen: number }> {
  const lastTurnOf = new Map<string, number>();
  let seen = 0;
  for (let turn = 1; !stopping?.aborted; turn += 1) {
    const waiting = await listWaitingOrganizations(app);
    const next = waiting.sort((a, b) => (lastTurnOf.get(a) ?? 0) - (lastTurnOf.get(b) ?? 0))[0];
    if (next === undefined) break;
    lastTurnOf.set(next, turn);
    const site = await findNextSite(app, next);
    if (!site) continue;
    const picture = await pictureOf(app, site, stopping);
    // A page that was cut off by the stop has its turn after the next start.
    if (stopping?.aborted) break;
    await keepPicture(app, site, picture);
    seen += 1;
  }
  return { seen };
}

function selectWaiting({ db, clock }: App) {
  const madeBefore = clock.now() - PICTURE_PAUSE_MS;
  return db
    .selectFrom('site_pictures')
    .innerJoin('sites', 'sites.id', 'site_pictures.site_id')
    .where('site_pictures.wanted_at', 'is not', null)
    .where(({ eb, or }) =>
      or([eb('site_pictures.made_at', 'is', null), eb('site_pictures.made_at', '<=', madeBefore)]),
    )
    .where('sites.deleted_at', 'is', null);
}

async function listWaitingOrganizations(app: App): Promise<string[]> {
  const rows = await selectWaiting(app).select('site_pictures.organization_id').distinct().execute();
  return rows.map(({ organization_id }) => organization_id);
}

function findNextSite(app: App, organizationId: string): Promise<UnpicturedSite | undefined> {
  return selectWaiting(app)
    .select(['sites.id', 'subdomain', 'spa_fallback', 'site_pictures.wanted_at'])
    .select('sites.current_version_id as version_id')
    .where('site_pictures.organization_id', '=', organizationId)
    .orderBy('site_pictures.wanted_at')
    .orderBy('sites.id')
    .limit(1)
    .executeTakeFirst();
}

async function pictureOf(app: App, site: UnpicturedSite, stopping?: AbortSignal): Promise<Picture | null> {
  const { id, version_id: versionId } = site;
  if (versionId === null) return null;
  try {
    const page = await openFrontPage(app, { versionId, spaFallback: site.spa_fallback === 1 });
    if (!page) return null;
    return (await frontPageOf(app, site, page, stopping)) ?? (await iconOf(page));
  } catch (error) {
    // While the store is unreachable, no picture can be taken; one site that fails must not hold up the others.
    if (isOutage(error)) throw error;
    app.logger.warn({ err: error, site: id }, 'a site could not be checked for a new picture');
    return null;
  }
}

async function frontPageOf(
  app: App,
  { id, subdomain }: UnpicturedSite,
  page: FrontPage,
  stopping?: AbortSignal,
): Promise<Picture | null> {
  if (!app.camera || !(await hasFrontPage(page))) return null;
  const origin = `https://${platformHost(app.config, subdomain).replace(/:\d+$/, '')}`;
  try {
    const bytes = await app.camera.take({ origin, answer: page.answer }, stopping);
    return { kind: 'page', mediaType: 'image/webp', bytes };
  } catch (error) {
    // The customer may have made the page fail on purpose, or the browser does not start here.
    app.logger.warn({ err: error, site: id }, 'a picture of a site could not be taken');
    return null;
  }
}

async function iconOf(page: FrontPage): Promise<Picture | null> {
  for (const path of ICON_PATHS) {
    const bytes = await page.readFile(path, ICON_BYTES_MAX);
    const mediaType = bytes && rasterType(bytes);
    if (bytes && mediaType) return { kind: 'icon', mediaType, bytes };
  }
  return null;
}

/** Keeps it, and that it is wanted again when the site was published meanwhile. */
async function keepPicture({ db, clock }: App, site: UnpicturedSite, picture: Picture | null): Promise<void> {
  const made = {
    version_id: site.version_id,
    kind: picture?.kind ?? null,
    media_type: picture?.mediaType ?? null,
    content: picture?.bytes.toString('base64') ?? null,
    made_at: clock.now(),
  };
  await db
    .updateTable('site_pictures')
    .set(({ eb }) => ({
      ...made,
      wanted_at: eb.case().when('wanted_at', '=', site.wanted_at).then(null).else(eb.ref('wanted_at')).end(),
    }))
    .where('site_id', '=', site.id)
    .execute();
}
