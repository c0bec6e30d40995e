// SPDX-License-Identifier: Apache-2.0
package hello;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GreeterTest extends ExampleTestSupport {

  @Test
  void readme_showsThisControllerToTheLetter_in15Lines() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/hello/Greeter.java"))
            .replaceFirst("// SPDX[^\n]*\npackage hello;\n\n", "");
    assertThat(Files.readString(Path.of("../README.md"))).contains("```java\n" + source + "```");
    assertThat(source.lines()).hasSize(15);
  }

  @Test
  void labelledConfigMap_isGreeted_othersAreNot() throws Exception {
    String yaml =
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: NAME, labels: {greet: "FLAG"}}
        """;
    server.apply(yaml.replace("NAME", "world").replace("FLAG", "yes"));
    server.apply(yaml.replace("NAME", "silent").replace("FLAG", "no"));

    run(new Greeter());

    await(() -> "" + data("world"), () -> data("world").containsKey("hello"));
    assertThat(data("world")).containsEntry("hello", "Hello world");
    assertThat(data("silent")).isEmpty();
  }

  private Map<String, String> data(String name) {
    Map<String, String> data =
        k8s.resource(V1ConfigMap.class)
            .get(Request.of("default", name))
            .map(V1ConfigMap::getData)
            .orElse(null);
    return data == null ? Map.of() : data;
  }
}
