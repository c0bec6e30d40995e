// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdminTokensTest {

  private static final String HEADER =
      "apiVersion: config.coxswain.dev/v1alpha1\nkind: AdminTokens\n";

  @Test
  void theExampleOfTheGuide_isValid_andMeansWhatItSays() throws Exception {
    String guide =
        Files.readString(
            Path.of(System.getProperty("basedir", "."), "..", "docs", "reference", "admin-api.md"));
    var example = Pattern.compile("### The token file\n\n((?:    .*\n)+)").matcher(guide);
    assertThat(example.find()).isTrue();
    List<StaticAccess.Entry> entries =
        AdminTokens.read(example.group(1).replaceAll("(?m)^    ", ""), "guide");
    assertThat(entries).hasSize(1);
    StaticAccess.Entry alice = entries.getFirst();
    assertThat(alice.principal().name()).isEqualTo("alice");
    assertThat(alice.principal().groups()).containsExactly("oncall");
    assertThat(alice.tokenHashes()).hasSize(1);
    assertThat(may(alice, Verb.RETRY, "controllers/items", "payments", "checkout")).isTrue();
    assertThat(may(alice, Verb.RETRY, "controllers/items", "shop", "checkout")).isFalse();
    assertThat(may(alice, Verb.DROP, "controllers/items", "payments", "checkout")).isFalse();
    assertThat(may(alice, Verb.DROP, "controllers/items", "shop", "checkout")).isTrue();
    assertThat(may(alice, Verb.DROP, "controllers/items", "shop", "demo")).isFalse();
    assertThat(may(alice, Verb.LIST, "controllers", "", "")).isTrue();
    assertThat(may(alice, Verb.PAUSE, "controllers", "", "checkout")).isFalse();
  }

  private static boolean may(
      StaticAccess.Entry entry, Verb verb, String resource, String namespace, String name) {
    AccessRequest wanted = new AccessRequest(verb, resource, namespace, name);
    return entry.rules().stream().anyMatch(rule -> rule.covers(wanted));
  }

  @Test
  void anEmptyList_isValid_andLetsNobodyIn() throws Exception {
    assertThat(AdminTokens.read(HEADER, "file")).isEmpty();
    assertThat(AdminTokens.read(HEADER + "principals:\n", "file")).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "principals: {}|file:3: principals: expected a list of maps, found a map",
        "principals: [a]|file:3: principals: expected a list of maps, found \"a\"",
        "principals: [{roles: [viewer]}]|file:3: principals[0].name: expected a user name",
        "principals: [{name: a, tokenHashes: [secret]}]|principals[0].tokenHashes: expected a list of SHA-256 sums of 64 digits of 0-9 and a-f",
        "principals: [{name: a, roles: [boss]}]|principals[0].roles: expected a list of viewer, operator or admin, found \"boss\"",
        "principals: [{name: a, rules: [{verbs: [drp]}]}]|principals[0].rules[0].verbs: expected a list of verbs such as get and retry, or *",
        "principals: [{name: a, rules: [{verb: [get]}]}]|principals[0].rules[0].verb: unknown key, did you mean \"verbs\"?",
        "principals: [{name: a, tokens: [b]}]|principals[0].tokens: unknown key",
        "prinicpals: []|file:3: prinicpals: unknown key, did you mean \"principals\"?",
      })
  void aFault_namesTheFileTheLineAndTheKey(String yaml, String message) {
    assertThatThrownBy(() -> AdminTokens.read(HEADER + yaml + "\n", "file"))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aFileOfAnotherKind_isRefused() {
    assertThatThrownBy(() -> AdminTokens.read("kind: Pod\n", "file"))
        .hasMessageContaining("file: expected apiVersion")
        .hasMessageContaining("kind \"AdminTokens\"");
  }
}
