import { useLingui } from '@lingui/react/macro';
import { IconBrowser, IconCopy, IconExternalLink, IconHistory, IconRocket } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import type { Site } from '#server/services/sites/schema.ts';
import { copyText } from '../../../components/copying/copy-text.ts';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { trpc } from '../../../trpc.ts';
import { useHomeOrganization } from '../../organizations/use-organization.ts';
import { addressToVisit } from '../../sites/address-to-visit.ts';
import type { PaletteEntry } from '../palette-entry.ts';
import { AT_HAND, type FoundEntries, foundOnce } from './found-entries.ts';
import { useDeletionEntry } from './use-deletion-entry.ts';

/** Returns the organization's sites, and what can be done with them: the site on the screen comes first. */
export function useSiteEntries(search: string): FoundEntries & {
  actions: PaletteEntry[];
  deletions: PaletteEntry[];
} {
  const { organization, can } = useHomeOrganization();
  const router = useRouter();
  const { siteId: shownId } = useParams({ strict: false });
  const deletionOf = useDeletionEntry();
  const of = { organization_id: organization.id };
  const nearest = trpc.sites.list.useQuery({ ...of, limit: AT_HAND });
  const searched = trpc.sites.list.useQuery(
    { ...of, search, limit: AT_HAND },
    { enabled: search !== '', placeholderData: keepPreviousData },
  );
  const { found: sites, ...state } = foundOnce(nearest, searched);
  const lead: LeadToSite = ({ id }, rest = {}) =>
    void router.navigate({
      to: '/$orgId/sites/$siteId',
      params: { orgId: organization.id, siteId: id },
      ...rest,
    });
  const actionsOf = useSiteActions(lead);
  const inOrder = sites.toSorted((a, b) => Number(b.id === shownId) - Number(a.id === shownId));
  return {
    ...state,
    entries: sites.map((site) => ({
      id: `site ${site.id}`,
      label: site.name,
      detail: new URL(site.subdomain_url).host,
      icon: IconBrowser,
      run: () => lead(site),
    })),
    actions: inOrder.flatMap(actionsOf),
    deletions: can('site.delete')
      ? inOrder.map((site) => deletionOf(site.id, site.name, () => lead(site, { search: { delete: true } })))
      : [],
  };
}

type LeadToSite = (
  site: Site,
  rest?: { search?: { deploy: true } | { delete: true }; hash?: string },
) => void;

/** Returns a function that lists the entries for a site's actions. */
function useSiteActions(lead: LeadToSite): (site: Site) => PaletteEntry[] {
  const { t } = useLingui();
  const { organization, can } = useHomeOrganization();
  const utils = trpc.useUtils();
  const of = { organization_id: organization.id };
  const atHand = trpc.cdn.page.useQuery({ ...of, limit: AT_HAND });
  const visit = async (site: Site) => {
    const all = atHand.data?.next_cursor === null ? atHand.data.items : undefined;
    const page = all
      ? undefined
      : await utils.cdn.page.fetch({ ...of, site_id: site.id }).catch(() => undefined);
    window.open(addressToVisit(site, all ?? page?.items, Date.now()), '_blank', 'noreferrer');
  };
  const copyId = async (site: Site) => {
    if (await copyText(site.id)) notifySuccess(t`Copied`);
    else notifyFailure(t`The site ID could not be copied.`);
  };
  return (site) => {
    const { id, name } = site;
    const deploys: PaletteEntry[] = [
      {
        id: `deploy ${id}`,
        label: t`Deploy to ${name}`,
        keywords: t({ message: 'publish upload release', context: 'search words' }),
        icon: IconRocket,
        run: () => lead(site, { search: { deploy: true } }),
      },
      {
        id: `roll back ${id}`,
        label: t`Roll back ${name}`,
        keywords: t({ message: 'undo revert versions history', context: 'search words' }),
        icon: IconHistory,
        run: () => lead(site, { hash: 'history' }),
      },
    ];
    return [
      ...(can('deployment.create') ? deploys : []),
      {
        id: `visit ${id}`,
        label: t`Visit ${name}`,
        keywords: t({ message: 'open browse view', context: 'search words' }),
        icon: IconExternalLink,
        run: () => void visit(site),
      },
      {
        id: `copy ${id}`,
        label: t`Copy the site ID of ${name}`,
        icon: IconCopy,
        run: () => void copyId(site),
      },
    ];
  };
}
