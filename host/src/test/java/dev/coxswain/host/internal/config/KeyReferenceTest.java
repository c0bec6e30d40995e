// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.config.reader.Tree;
import dev.coxswain.host.internal.config.reader.YamlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the reader accepts, what the file of defaults says, and what the page lists are the same. */
class KeyReferenceTest {

  private static final Path PAGE = Path.of("../docs/reference/configuration.md");
  private static final String DEFAULTS = Resources.text(Version.class, "defaults.yaml");

  private final KeyReference reference = KeyReference.of(DEFAULTS);

  @Test
  void eachKeyOfTheDefaults_isInTheReference_andTheOtherWayRound() throws ConfigurationException {
    List<String> written = new ArrayList<>();
    collect("", YamlReader.readFile(DEFAULTS, "defaults"), written);
    List<String> known = reference.keys().stream().map(KeyReference.Key::path).toList();
    assertThat(known).containsAll(written);
    DefaultsReader texts = DefaultsReader.read(DEFAULTS);
    assertThat(reference.keys())
        .filteredOn(key -> key.children().isEmpty())
        .extracting(KeyReference.Key::path)
        .filteredOn(path -> !texts.order().contains(path))
        // The text above the limiters has the last two.
        .containsExactly("logging.levels.NAME", "limiters.NAME.maxRate", "limiters.NAME.maxBurst");
    assertThat(texts.of("admin.auth.mode").text()).contains("kubernetes (the default)");
  }

  private static void collect(String path, Tree.Branch branch, List<String> to) {
    branch
        .entries()
        .forEach((key, tree) -> {
          if (key.equals("apiVersion") || key.equals("kind")) {
            return;
          }
          String name = path.equals("limiters") ? "NAME" : key;
          String at = path.isEmpty() ? name : path + "." + name;
          to.add(at);
          if (tree instanceof Tree.Branch child) {
            collect(at, child, to);
          }
        });
  }

  @Test
  void aKey_isExplained_withWhatItAccepts_itsDefault_itsVariable_andItsMeaning() {
    assertThat(reference.explain("controllers.cron.concurrency"))
        .contains("controllers.NAME.concurrency", "a whole number from 1 to", "DEFAULT   1")
        .contains("COXSWAIN_CONTROLLERS__NAME__CONCURRENCY");
    assertThat(reference.explain("membership.leaseDuration"))
        .contains("DEFAULT   15s", "COXSWAIN_MEMBERSHIP__LEASE_DURATION", "a replica is replaced");
    assertThat(reference.explain("admin")).contains("KEYS", "admin.tls", "The admin API.");
    assertThat(reference.explain("logging.levels.dev")).doesNotContain("VARIABLE");
    assertThat(reference.explain("")).contains("sharedLimiter", "drainLimit");
  }

  /** Rules across keys may still refuse an example; the key itself does not. */
  @Test
  void eachExampleOfAMessage_isAcceptedByItsKey() {
    int examples = 0;
    for (KeyReference.Key key : reference.keys()) {
      int at = key.expected().indexOf(" such as ");
      if (at < 0 || !key.children().isEmpty()) {
        continue;
      }
      String path = key.path().replace("NAME", "demo");
      for (String example : examples(key.expected().substring(at + " such as ".length()))) {
        examples++;
        String value = "\"" + example + "\"";
        String setting =
            path + "=" + (key.expected().startsWith("a list") ? "[" + value + "]" : value);
        String refused = "";
        try {
          ConfigurationLoader.load(null, Map.of(), List.of(setting));
        } catch (ConfigurationException e) {
          refused = String.valueOf(e.getMessage());
        }
        assertThat(refused).as(setting).doesNotContain(path + ": expected " + key.expected());
      }
      assertThat(key.expected().contains(", or 0"))
          .as(path)
          .isEqualTo(accepts(path, key.expected()));
    }
    assertThat(examples).isGreaterThan(20);
  }

  /** Returns whether a duration may be 0; false for other keys. */
  private static boolean accepts(String path, String expected) {
    if (!expected.startsWith("a duration")) {
      return false;
    }
    try {
      ConfigurationLoader.load(null, Map.of(), List.of(path + "=0"));
      return true;
    } catch (ConfigurationException e) {
      return !String.valueOf(e.getMessage()).contains(path + ": expected " + expected);
    }
  }

  private static List<String> examples(String text) {
    List<String> quoted =
        Pattern.compile("\"([^\"]+)\"").matcher(text).results().map(one -> one.group(1)).toList();
    return quoted.isEmpty() ? List.of(text.split("[ ,;]", 2)[0]) : quoted;
  }

  @Test
  void theDefaultsOfControllers_areThoseOfAnAuthorWhoSetsNone() {
    ControllerOptions none = ControllerOptions.DEFAULT;
    assertThat(reference.explain("controllers.cron.concurrency"))
        .contains("DEFAULT   " + none.concurrency());
    assertThat(reference.explain("controllers.cron.ownership"))
        .contains("DEFAULT   " + none.ownership().name().toLowerCase(Locale.ROOT));
    assertThat(reference.explain("controllers.cron.composition"))
        .contains("DEFAULT   " + none.composition().name().toLowerCase(Locale.ROOT));
    assertThat(reference.explain("controllers.cron.budget")).contains("DEFAULT   " + none.budget());
    assertThat(reference.explain("controllers.cron.fairFlows"))
        .contains("DEFAULT   " + none.fairFlows());
    assertThat(reference.explain("controllers.cron.agingStep"))
        .contains("DEFAULT   " + none.agingStep().toMillis() + "ms");
    assertThat(reference.explain("controllers.cron.reconcileTimeout"))
        .contains("DEFAULT   " + none.reconcileTimeout().toMillis());
    assertThat(reference.explain("controllers.cron.failureCooldown"))
        .contains("DEFAULT   " + none.failureCooldown().toMillis());
  }

  @Test
  void aReloadedKey_isMarked_andIsAKey() {
    assertThat(reference.explain("controllers.cron.concurrency")).contains("RELOADED  yes");
    assertThat(reference.explain("admin.port")).contains("RELOADED  no");
    assertThat(
            reference.keys().stream().map(KeyReference.Key::path).filter(KeyReference::isReloaded))
        .containsExactlyInAnyOrder(
            "logging.level",
            "logging.levels.NAME",
            "kubernetes.watchNamespaces",
            "kubernetes.watchNamespaceSelector",
            "controllers.NAME.watchNamespaces",
            "controllers.NAME.concurrency",
            "limiters.NAME.rate",
            "limiters.NAME.burst",
            "limiters.NAME.maxRate",
            "limiters.NAME.maxBurst");
  }

  @Test
  void anUnknownKey_isRefused_withTheNearest() {
    assertThatThrownBy(() -> reference.explain("admin.prot"))
        .hasMessageContaining("unknown key \"admin.prot\"")
        .hasMessageContaining("port");
  }

  @Test
  void theSchema_refusesUnknownKeys_andKnowsEachKey() {
    JsonObject schema = JsonParser.parseString(reference.schema()).getAsJsonObject();
    assertThat(schema.get("additionalProperties").getAsBoolean()).isFalse();
    for (KeyReference.Key key : reference.keys()) {
      JsonObject at = schema;
      for (String part : key.path().split("\\.", -1)) {
        at =
            part.equals("NAME")
                ? at.getAsJsonObject("additionalProperties")
                : at.getAsJsonObject("properties").getAsJsonObject(part);
        assertThat(at).as(key.path()).isNotNull();
      }
    }
  }

  /** {@code -Dcoxswain.update=true} writes the page again. */
  @Test
  void thePage_listsEachKey() throws IOException {
    String page = page();
    if (Boolean.getBoolean("coxswain.update")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private String page() {
    StringBuilder page =
        new StringBuilder(
            """
            <!-- SPDX-License-Identifier: Apache-2.0 -->
            <!-- Written by KeyReferenceTest with -Dcoxswain.update=true; what the reader accepts, and the file of defaults. -->
            # Configuration

            Find out what a key of the configuration accepts. `coxswain config explain KEY` prints the same,
            `coxswain config print-defaults` a file to start from, and `coxswain config schema` a JSON schema for editors.
            A flag `--set KEY=VALUE` wins over an environment variable, and that over the file. A dot in a name is written `\\.` there, as in `--set 'logging.levels.io\\.vertx=debug'`. `NAME` is a name of yours.

            A change of a key with *yes* under *reloaded* [applies while the host runs](../guides/configuring.md#changes-without-a-restart);
            of others at the next start. Files that a key names are read again where its meaning says so.
            """);
    for (KeyReference.Key key : reference.keys()) {
      if (!key.path().contains(".")) {
        page.append("\n## ").append(key.path()).append("\n\n");
        page.append(key.text().isEmpty() ? "" : key.text() + "\n\n");
        page.append("| key | accepts | default | reloaded | meaning |\n|---|---|---|---|---|\n");
        rows(key, page, false);
      }
    }
    return page.toString();
  }

  private void rows(KeyReference.Key key, StringBuilder page, boolean withText) {
    if (key.children().isEmpty()) {
      page.append(
          "| `%s` | %s | %s | %s | %s |%n"
              .formatted(
                  key.path(),
                  key.expected(),
                  key.defaultValue().isEmpty() ? "" : "`" + key.defaultValue() + "`",
                  KeyReference.isReloaded(key.path()) ? "yes" : "",
                  withText ? key.text() : ""));
      return;
    }
    if (withText && !key.text().isEmpty()) {
      page.append("| `%s` | a map | | | %s |%n".formatted(key.path(), key.text()));
    }
    reference.keys().stream()
        .filter(one -> key.children().contains(one.path()))
        .forEach(one -> rows(one, page, true));
  }
}
