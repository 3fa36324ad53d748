import { Page, Section } from '../../ui/Page.tsx';
import { About } from './About.tsx';
import { AgentList } from './AgentList.tsx';
import { GeneralSettings } from './GeneralSettings.tsx';
import { TokenList } from './TokenList.tsx';

/** Settings, agents, tokens and version. */
export function SettingsPage() {
  return (
    <Page title="Settings">
      <Section title="General">
        <GeneralSettings />
      </Section>
      <AgentList />
      <TokenList />
      <Section title="About">
        <About />
      </Section>
    </Page>
  );
}
