// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.schema.Schema;
import dev.coxswain.k8s.schema.ValidationRule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an API server refuses is not written, and is found in what was written. */
class CrdCommandTest {

  @TempDir private Path folder;

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "goods", kind = "Good")
  static final class Good extends CustomObject {
    @Schema(listMapKeys = "name")
    @Nullable List<Item> items;

    record Item(String name) {}
  }

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "bads", kind = "Bad")
  static final class Bad extends CustomObject {
    @Schema(rules = @ValidationRule("self.size( > 1"))
    @Nullable String text;
  }

  /** The compiled classes alone, in a folder of their own. */
  private String classes(Class<?>... types) throws IOException {
    Path classes = folder.resolve("classes");
    for (Class<?> type : types) {
      Path file = classes.resolve(type.getName().replace('.', '/') + ".class");
      Files.createDirectories(file.getParent());
      try (InputStream code =
          type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
        Files.write(file, Objects.requireNonNull(code, "compiled").readAllBytes());
      }
    }
    return classes.toString();
  }

  private int run(String action, String classes, String... more) throws HostException {
    List<String> arguments = new java.util.ArrayList<>(List.of(action, "--classes", classes));
    arguments.addAll(List.of(more));
    return new CrdCommand().run(arguments);
  }

  @Test
  void aDefinitionThatAServerRefuses_isNotWritten_andNoOtherEither() throws Exception {
    String made = folder.resolve("made").toString();
    String classes = classes(Good.class, Bad.class);

    assertThatThrownBy(() -> run("generate", classes, "--output", made))
        .isInstanceOf(HostException.class)
        .hasMessageStartingWith(
            "bads.test.coxswain.dev: an API server refuses it:"
                + " spec.validation.openAPIV3Schema.properties[text].x-kubernetes-validations[0].rule:")
        .hasMessageContaining("compilation failed");
    assertThat(Path.of(made)).doesNotExist();
  }

  @Test
  void aFileThatAServerRefuses_isReported() throws Exception {
    String made = folder.resolve("made").toString();
    String classes = classes(Good.class);
    run("generate", classes, "--output", made);
    run("check", classes, made);
    Path file = Path.of(made, "crd-goods.yaml");
    String written = Files.readString(file);
    String edited = written.replaceFirst("(?m)^ *required:\\n *- name\\n", "");
    assertThat(edited).isNotEqualTo(written);
    Files.writeString(file, edited);

    assertThatThrownBy(() -> run("check", classes, made))
        .isInstanceOf(HostException.class)
        .hasMessageContaining(
            "goods.test.coxswain.dev: an API server refuses it:"
                + " spec.validation.openAPIV3Schema.properties[items].items.properties[name].default: ")
        .hasMessageContaining("must have a default or be a required property");
  }
}
