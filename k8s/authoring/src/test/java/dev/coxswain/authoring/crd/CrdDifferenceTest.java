// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CrdDifferenceTest {

  private static final JsonObject GENERATED = CustomResourceDefinitions.of(Garden.class);
  private static final String YAML = CrdYaml.write(GENERATED);

  @Test
  void aWrittenDefinition_isReadAsEqual() {
    assertThat(CrdDifference.between(GENERATED, read(YAML))).isEmpty();
  }

  @Test
  void orderLabelsConversionAndNamesOfTheServer_doNotMatter() {
    JsonObject file = read(YAML);
    file.getAsJsonObject("metadata").addProperty("labels", "any");
    JsonObject spec = file.getAsJsonObject("spec");
    spec.add("conversion", new JsonObject());
    spec.getAsJsonObject("names").remove("singular");
    spec.getAsJsonObject("names").remove("listKind");
    JsonObject group = new JsonObject();
    group.add("versions", spec.remove("versions"));
    group.entrySet().forEach(entry -> spec.add(entry.getKey(), entry.getValue()));
    assertThat(CrdDifference.between(GENERATED, file)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          maximum: 40       | maximum: 50      | .spec.properties.beds.maximum: class 40, file 50
          - gd              | - gdn            | spec.names.shortNames: class ["gd"], file ["gdn"]
          default: CLAY     | example: CLAY    | .spec.properties.soil.default: class "CLAY", file has none
          plural: gardens   | plural: garden   | spec.names.plural: class "gardens", file "garden"
          """)
  void eachDrift_isNamedByItsPath(String was, String is, String line) {
    assertThat(CrdDifference.between(GENERATED, read(YAML.replace(was, is))))
        .anyMatch(found -> found.endsWith(line));
  }

  @Test
  void annotatedClasses_areFoundInAFolder_withoutOthers() throws Exception {
    Path classes =
        Path.of(Garden.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertThat(ResourceClasses.in(classes, Garden.class.getClassLoader()))
        .contains(Garden.class, CustomResourceDefinitionsTest.Tree.class)
        .doesNotHaveDuplicates()
        .allMatch(type -> type.isAnnotationPresent(KubernetesResource.class));
  }

  private static JsonObject read(String yaml) {
    return CrdYaml.read(yaml).getFirst();
  }
}
