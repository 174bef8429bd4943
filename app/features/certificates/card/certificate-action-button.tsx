import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import type { CertificateAction, CertificateActions } from './use-certificate-actions.ts';

/**
 * A button for one of the certificate actions; next to it, people who may not use it see why, also on a
 * phone.
 */
export function CertificateActionButton(props: {
  action: CertificateAction;
  actions: CertificateActions;
  variant?: 'filled' | 'default';
  children: ReactNode;
}) {
  const { action, actions, variant = 'filled', children } = props;
  const reason = usePermissionReason()('certificate.manage');
  return (
    <div>
      <ReasonedAction reason={reason} onAct={() => actions.run(action)}>
        {(act) => (
          <Button variant={variant} loading={actions.running === action} {...act}>
            {children}
          </Button>
        )}
      </ReasonedAction>
      {reason && (
        <Text size="xs" c="dimmed" mt={6}>
          {reason}
        </Text>
      )}
    </div>
  );
}
