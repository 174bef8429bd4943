import { useLingui } from '@lingui/react';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import type { User } from '#server/services/identity/schema.ts';
import { isPersonal } from '#server/services/organizations/rules.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { hasUnsavedWork } from '../../components/forms/unsaved-work.ts';
import { logFailure } from '../../i18n/errors/log-failure.ts';
import { isUnauthenticated } from '../../i18n/errors/read-error.ts';
import { trpc } from '../../trpc.ts';
import { isSessionEnded, setSessionEnded } from '../sign-in/ended-session.ts';
import { usePermissionNews } from './use-permission-news.ts';

/** Who is signed in, their memberships, and where they are. */
export interface Place {
  user: User;
  memberships: Membership[];
  /** In the organization of the address; null when the person is not (or no longer) a member. */
  membership: Membership | null;
  /**
   * Where the frame leads: the organization of the address, otherwise the stored one, otherwise the first.
   */
  home: Membership;
}

const MembershipsContext = createContext<Place | null>(null);

/**
 * Provides the person's location to everything below it. It is queried and not taken from the route, so that
 * a changed permission, a suspension and an ended membership show as soon as a response says so.
 */
export function MembershipsProvider({ orgId, children }: { orgId: string; children: ReactNode }) {
  const [user, me] = trpc.user.me.useSuspenseQuery();
  const [memberships, list] = trpc.organizations.list.useSuspenseQuery();
  const [stored] = trpc.organizations.context.useSuspenseQuery();
  useEffect(() => {
    if (!isUnauthenticated(me.error)) return;
    // The session ended elsewhere. A fresh page would lead to the sign-in and back, with nothing of the
    // person in memory; but what was typed is worth more.
    if (hasUnsavedWork() || isSessionEnded()) setSessionEnded(true);
    else window.location.reload();
  }, [me.error]);
  useEffect(() => {
    if (list.error && !isUnauthenticated(list.error)) logFailure(list.error);
  }, [list.error]);

  const { i18n } = useLingui();
  const { locale } = i18n;
  const place = useMemo(() => {
    const membershipIn = (id: string) => memberships.find(({ organization }) => organization.id === id);
    const membership = membershipIn(orgId) ?? null;
    const home = membership ?? membershipIn(stored.organization_id) ?? memberships[0];
    return home ? { user, memberships: inOrder(memberships, locale), membership, home } : null;
  }, [orgId, user, memberships, stored.organization_id, locale]);
  usePermissionNews(orgId, place?.membership ?? null);
  return <MembershipsContext value={place}>{children}</MembershipsContext>;
}

/** The personal workspace first, then by name as the language sorts: accents aside, 2 before 10. */
function inOrder(memberships: Membership[], locale: string): Membership[] {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const rank = ({ organization }: Membership) => (isPersonal(organization.external_id) ? 0 : 1);
  return memberships.toSorted(
    (a, b) => rank(a) - rank(b) || compare(a.organization.name, b.organization.name),
  );
}

/** Returns where the person is. @throws outside a {@link MembershipsProvider} */
export function useMemberships(): Place {
  const place = useContext(MembershipsContext);
  if (!place) throw new Error('useMemberships needs a MembershipsProvider around it');
  return place;
}
