import { useLingui } from '@lingui/react';
import { useEffect, useRef } from 'react';
import type { Membership } from '#server/services/organizations/schema.ts';
import { showNotification } from '../../components/notifications/notification-host.tsx';

const SHOWN_MS = 10_000;

/** Few pages ever need the words. */
const loadNews = () => import('./permission-news.ts');

/**
 * Says that the person's permission in the organization was changed meanwhile, or their access to it has ended: a form that they had
 * open may have closed for it, or the page.
 */
export function usePermissionNews(orgId: string, membership: Membership | null): void {
  const { i18n } = useLingui();
  const before = useRef(membership);
  useEffect(() => {
    const last = before.current;
    before.current = membership;
    // Whoever comes to the address of another organization has lost nothing.
    if (last?.organization.id !== orgId || last.permission === membership?.permission) return;
    const say = ({ permissionNews }: Awaited<ReturnType<typeof loadNews>>) => {
      const message = permissionNews(i18n, last, membership);
      showNotification({ message, role: 'alert', autoClose: SHOWN_MS });
    };
    // Without the server the page itself still shows it.
    loadNews().then(say, () => undefined);
  }, [orgId, membership, i18n]);
}
