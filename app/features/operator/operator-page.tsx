import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../components/page/page-header.tsx';
import { useSettings } from '../../use-settings.ts';
import { HomeFrame } from '../frame/home-frame.tsx';
import { AbuseView } from './abuse/abuse-view.tsx';
import { HealthView } from './installation/health-view.tsx';
import classes from './operator.module.css';
import { OPERATOR_VIEWS } from './operator-search.ts';
import { OrganizationsView } from './organizations/organizations-view.tsx';
import { PeopleView } from './people/people-view.tsx';

const route = getRouteApi('/operator');

/** What the operator sees and does in the browser. */
export function OperatorPage() {
  const { t } = useLingui();
  const { productName } = useSettings();
  const { access } = route.useRouteContext();
  const { view = 'health' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <HomeFrame>
      <PageHeader
        title={<Trans>Operation</Trans>}
        subtitle={<Trans>Everything on this installation of {productName}.</Trans>}
        actions={access === 'read' && <Badge>{t`Read only`}</Badge>}
      />
      <Tabs
        classNames={{ tab: classes.tab ?? '' }}
        value={view}
        keepMounted={false}
        onChange={(chosen) => {
          const next = OPERATOR_VIEWS.find((candidate) => candidate === chosen);
          // What waits for a decision comes first.
          const state = next === 'abuse' ? 'open' : undefined;
          void navigate({ search: { view: next, state }, replace: true, resetScroll: false });
        }}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="health">
            <Trans>Health</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="organizations">
            <Trans>Organizations</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="people">
            <Trans>People</Trans>
          </Tabs.Tab>
          <Tabs.Tab value="abuse">
            <Trans>Abuse</Trans>
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="health">
          <HealthView />
        </Tabs.Panel>
        <Tabs.Panel value="organizations">
          <OrganizationsView mayChange={access === 'manage'} />
        </Tabs.Panel>
        <Tabs.Panel value="people">
          <PeopleView mayChange={access === 'manage'} />
        </Tabs.Panel>
        <Tabs.Panel value="abuse">
          <AbuseView mayChange={access === 'manage'} />
        </Tabs.Panel>
      </Tabs>
    </HomeFrame>
  );
}
