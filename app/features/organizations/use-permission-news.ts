import { useLingui } from '@lingui/react';
import { useEffect, useRef } from 'react';
import type { Membership } from '#server/services/organizations/schema.ts';
import { showNotification } from '../../components/notification-host.tsx';

const SHOWN_MS = 10_000;

/** Few pages ever need the words. */
const loadNews = () => import('./permission-news.ts');

/**
 * Says that the person's permission in the organization was changed meanwhile, or their access to it has ended: a form that they had
 * open may have closed for it, or the page.
 */
export function usePermissionNews(membership: Membership | null): void {
  const { i18n } = useLingui();
  const before = useRef(membership);
  useEffect(() => {
    const last = before.current;
    before.current = membership;
    if (!last || last.permission === membership?.permission) return;
    if (membership && last.organization.id !== membership.organization.id) return;
    const say = ({ permissionNews }: Awaited<ReturnType<typeof loadNews>>) => {
      const message = permissionNews(i18n, last, membership);
      showNotification({ message, role: 'alert', autoClose: SHOWN_MS });
    };
    // Without the server the page itself still shows it.
    loadNews().then(say, () => undefined);
  }, [membership, i18n]);
}
