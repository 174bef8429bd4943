import { useLingui } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import type { Membership } from '#server/services/organizations/schema.ts';
import { showNotification } from '../../components/notification-host.tsx';
import { PERMISSION_NAMES } from '../../i18n/permission-names.ts';

const SHOWN_MS = 10_000;

/** Says that the person's permission in the organization was changed meanwhile: a form that they had open may have closed for it. */
export function usePermissionNews(membership: Membership | null): void {
  const { i18n, t } = useLingui();
  const before = useRef(membership);
  useEffect(() => {
    const last = before.current;
    before.current = membership;
    if (!last || !membership || last.permission === membership.permission) return;
    if (last.organization.id !== membership.organization.id) return;
    const { name } = membership.organization;
    const permission = i18n._(PERMISSION_NAMES[membership.permission]);
    const message = t`Your permission in ${name} is now: ${permission}`;
    showNotification({ message, role: 'alert', autoClose: SHOWN_MS });
  }, [membership, i18n, t]);
}
