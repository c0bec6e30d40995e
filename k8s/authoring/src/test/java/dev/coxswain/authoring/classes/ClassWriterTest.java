// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdDifference;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.crd.CustomResourceDefinitions;
import dev.coxswain.k8s.client.Json;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassWriterTest {

  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: boats.sea.example.com}
      spec:
        group: sea.example.com
        names: {kind: Boat, plural: boats}
        scope: Cluster
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              description: "A boat. Not */ a <ship> with \\\\u0041 @anchor."
              properties:
                apiVersion: {type: string}
                spec:
                  type: object
                  description: What is wanted.
                  required: [name, oars]
                  properties:
                    name: {type: string, description: "The name, as it is painted on the bow, on the stern and, if there is one, on the ring."}
                    oars: {type: integer, format: int32}
                    crew: {type: integer, format: int64}
                    class: {type: string, enum: [dinghy, Four-Oared, "8plus"]}
                    x-range: {type: number, format: double}
                    launched: {type: string, format: date-time}
                    port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
                    any: {x-kubernetes-preserve-unknown-fields: true}
                    string: {type: object, properties: {length: {type: integer, format: int32, default: 3}}}
                    cargo:
                      type: array
                      items: {type: object, properties: {label: {type: string}, hashCode: {type: boolean}}}
                    sails: {type: object, additionalProperties: {type: object, properties: {area: {type: number, format: double}}}}
                    template:
                      type: object
                      properties:
                        spec: {type: object, properties: {color: {type: string}}}
                        labels: {type: object, additionalProperties: {type: string}}
                status:
                  type: object
                  properties: {afloat: {type: boolean}}
      """;

  @TempDir private Path folder;

  @Test
  void theClass_compilesWithoutWarnings_andReadsAndWritesTheSameJson() throws Exception {
    Class<? extends KubernetesObject> boat = compiled(ClassWriter.write(read(), "", "made.here"));
    String json =
        "{\"spec\":{\"name\":\"Ida\",\"oars\":2,\"crew\":7,\"class\":\"Four-Oared\",\"x-range\":1.5,"
            + "\"launched\":\"2026-01-01T00:00:00Z\",\"port\":\"aft\",\"any\":[1,{\"a\":\"b\"}],"
            + "\"string\":{\"length\":4},\"cargo\":[{\"label\":\"tea\",\"hashCode\":true}],"
            + "\"sails\":{\"jib\":{\"area\":2.5}},\"template\":{\"spec\":{\"color\":\"red\"},"
            + "\"labels\":{\"a\":\"b\"}}},\"status\":{\"afloat\":true}}";
    JsonObject written = Json.encode(Json.decode(json, boat));
    written.remove("metadata");
    assertThat(written).isEqualTo(Json.GSON.fromJson(json, JsonObject.class));
  }

  /** The types of the class are those of the file: only what is validated is not in the class. */
  @Test
  void theDefinitionOfTheClass_hasTheSameFieldsAndTypes() throws Exception {
    Class<? extends KubernetesObject> boat = compiled(ClassWriter.write(read(), "v1", "made.here"));
    assertThat(CrdDifference.between(CustomResourceDefinitions.of(boat), read()))
        .allMatch(line ->
            line.contains(".description:")
                || line.contains(".required:")
                || line.contains(".default:"));
  }

  @Test
  void descriptions_areJavadoc_inLinesOfAtMostAHundredCharacters() {
    String source = ClassWriter.write(read(), "", "made.here");
    assertThat(source)
        .contains(
            " * A boat. Not *&#47; a &lt;ship&gt; with &#92;u0041 &#64;anchor.\n",
            """
               * @param name The name, as it is painted on the bow, on the stern and, if there is one, on the
               *     ring.
            """,
            "    namespaced = false)\n",
            "    @SerializedName(\"class\") @Nullable Class_ class_,\n".replace("Class_", "Class"),
            "    int oars,\n",
            "    @Nullable Long crew,\n");
    assertThat(source.lines()).allMatch(line -> line.length() <= 101);
  }

  @Test
  void whatIsNoDefinition_orHasNotTheVersion_isRefused() {
    assertThatThrownBy(() -> ClassWriter.write(read(), "v2", "made.here"))
        .hasMessage("boats.sea.example.com has no version \"v2\"; its versions are [v1]");
    assertThatThrownBy(() -> ClassWriter.className(new JsonObject()))
        .hasMessageStartingWith("not a CustomResourceDefinition");
  }

  private static JsonObject read() {
    return CrdYaml.read(DEFINITION).getFirst();
  }

  private Class<? extends KubernetesObject> compiled(String source) throws Exception {
    Path file = folder.resolve("made/here/Boat.java");
    Files.createDirectories(file.getParent());
    Files.writeString(file, source);
    compile(file);
    URL[] urls = {folder.toUri().toURL()};
    URLClassLoader loader = new URLClassLoader(urls, ClassWriterTest.class.getClassLoader());
    return loader.loadClass("made.here.Boat").asSubclass(KubernetesObject.class);
  }

  private void compile(Path file) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of(
                      "-Xlint:all,-classfile", "-Werror", "-proc:none", "-d", folder.toString()),
                  null,
                  files.getJavaFileObjects(file))
              .call();
      assertThat(done).as("%s%n%s", messages, Files.readString(file)).isTrue();
    }
  }
}
