// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.ctl.internal.cli.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** What krew requires of a manifest. */
class KrewManifestTest {

  private static final String SUM = "0123456789abcdef".repeat(4);
  private static final CtlArchive ARCHIVE = new CtlArchive("0.1.0-SNAPSHOT", "linux", "amd64");

  @Test
  void theManifest_isWhatKrewRequires() {
    JsonNode manifest = read("https://downloads.example.com/v1");
    assertThat(manifest.path("apiVersion").asText()).isEqualTo("krew.googlecontent.com/v1alpha2");
    assertThat(manifest.path("kind").asText()).isEqualTo("Plugin");
    assertThat(manifest.at("/metadata/name").asText() + ".yaml").isEqualTo(KrewManifest.FILE);
    JsonNode spec = manifest.path("spec");
    assertThat(spec.path("version").asText())
        .as("a semantic version behind a v")
        .matches("v\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?");
    assertThat(spec.path("shortDescription").asText()).hasSizeBetween(10, 60).doesNotContain("\n");
    assertThat(spec.path("platforms")).hasSize(1);
    JsonNode platform = spec.at("/platforms/0");
    assertThat(platform.path("sha256").asText()).isEqualTo(SUM);
    assertThat(platform.path("selector").toString())
        .isEqualTo("{\"matchLabels\":{\"os\":\"linux\",\"arch\":\"amd64\"}}");
    assertThat(platform.path("files").toString())
        .isEqualTo("[{\"from\":\"coxswain-ctl-0.1.0-SNAPSHOT-linux-amd64/*\",\"to\":\".\"}]");
    assertThat(platform.path("bin").asText()).isEqualTo("coxswain-ctl");
    assertThat(platform.path("uri").asText())
        .isEqualTo(
            "https://downloads.example.com/v1/coxswain-ctl-0.1.0-SNAPSHOT-linux-amd64.tar.gz");
  }

  @Test
  void theAddressOfAFolder_mayEndWithASlash() {
    assertThat(read("https://downloads.example.com/v1/"))
        .isEqualTo(read("https://downloads.example.com/v1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"v1", "ftp://downloads.example.com", "https://", "https://a b", "https://a/?b"})
  void anythingElse_isRefused(String text) {
    assertThatExceptionOfType(CommandException.class)
        .isThrownBy(() -> KrewManifest.folder("--download-url", text))
        .withMessageStartingWith(
            "flag --download-url: expected the address of a folder such as https://")
        .withMessageEndingWith(", found \"" + text + "\"");
  }

  private static JsonNode read(String folder) {
    String text =
        new KrewManifest(ARCHIVE, SUM, KrewManifest.folder("--download-url", folder)).toYaml();
    return new ObjectMapper().valueToTree(new Yaml().load(text));
  }
}
