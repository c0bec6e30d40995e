// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.archetype.internal.ProjectTemplate;
import dev.coxswain.archetype.internal.TemplateFiles;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is written; that it can be built is tested with Maven, in {@code ArchetypeIT}. */
class AddCommandTest {

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  @TempDir private Path folder;

  @BeforeEach
  void writeAProject() throws IOException {
    TemplateFiles.write(
        folder, ProjectTemplate.of("shop", "com.example.shop", false, false).files());
  }

  @Test
  void aResource_isNewFiles_andALineOfTheServices() throws Exception {
    Map<String, String> before = files();
    add("api", "Cart");
    Map<String, String> after = files();
    assertThat(after.remove(ProjectTemplate.SERVICES))
        .isEqualTo("com.example.shop.Shop\ncom.example.shop.CartController\n");
    before.remove(ProjectTemplate.SERVICES);
    assertThat(after).containsAllEntriesOf(before).hasSize(before.size() + 5);
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .startsWith(
            """
            src/main/java/com/example/shop/Cart.java
            src/main/java/com/example/shop/CartController.java
            src/test/java/com/example/shop/CartControllerTest.java
            src/main/resources/coxswain/dev/%1$s/crd-carts.yaml
            src/main/k8s/examples/cart.yaml
            src/main/resources/META-INF/services/dev.coxswain.controller.ControllerDefinition: com.example.shop.CartController

            Next:
            """
                .formatted(folder.getFileName()))
        .contains(
            "  coxswain crd generate --output src/main/resources/coxswain/dev/"
                + folder.getFileName()
                + "\n");
  }

  /** One after the other is the same as both at once, and as a new project with both. */
  @Test
  void webhooks_areTheSame_withTheResourceOrLater() throws Exception {
    add("api", "Cart.shop.example.org/v2", "--webhook");
    Map<String, String> atOnce = files();
    for (String file :
        List.of(
            "main/java/com/example/shop/CartWebhook.java",
            "test/java/com/example/shop/CartWebhookTest.java")) {
      Files.delete(folder.resolve("src").resolve(file));
    }
    add("webhook", "Cart");
    assertThat(files()).isEqualTo(atOnce); // also no second line of the services
    assertThat(atOnce.get("src/main/java/com/example/shop/CartWebhook.java"))
        .contains("\"shop.example.org/created-by\"");
  }

  @Test
  void aProjectInKotlin_getsKotlin() throws Exception {
    Files.createDirectories(folder.resolve("src/main/kotlin"));
    add("api", "Cart");
    add("webhook", "Cart");
    assertThat(folder.resolve("src/main/kotlin/com/example/shop/CartWebhook.kt"))
        .content()
        .contains("\"shop.example.com/created-by\"");
    assertThat(folder.resolve("src/main/java/com/example/shop/Cart.java")).doesNotExist();
  }

  /** "crd generate" writes all definitions into one folder. */
  @Test
  void theDefinition_isBesideThoseThatAreThere() throws Exception {
    Path definitions = folder.resolve("src/main/resources/coxswain/dev/other");
    Files.createDirectories(definitions);
    add("api", "Cart");
    assertThat(definitions.resolve("crd-carts.yaml")).exists();
  }

  @Test
  void aServicesFileWithoutALastLineEnd_getsALineOfItsOwn() throws Exception {
    Path services = folder.resolve(ProjectTemplate.SERVICES);
    Files.writeString(services, "# ours\ncom.example.shop.Shop # the first");
    add("api", "Cart", "--package", "carts");
    assertThat(services)
        .hasContent("# ours\ncom.example.shop.Shop # the first\ncarts.CartController");
    assertThat(folder.resolve("src/main/java/carts/CartController.java")).exists();
  }

  @ParameterizedTest
  @CsvSource({
    "api Shop, src/main/java/com/example/shop/Shop.java exists; nothing is written",
    "webhook Cart, there is no src/main/java/com/example/shop/Cart.java: coxswain add api Cart --webhook",
    "webhook Shop, src/main/java/com/example/shop/Shop.java has no @KubernetesResource with a text as its plural",
  })
  void whatIsThere_orIsMissing_isNamedInOneLine_andNothingIsWritten(String command, String why)
      throws Exception {
    Map<String, String> before = files();
    assertThatThrownBy(() -> add(command.split(" ")))
        .isInstanceOf(HostException.class)
        .hasMessageStartingWith(why)
        .message()
        .hasLineCount(1);
    assertThat(files()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "'', add needs what to add",
    "apis Cart, 'add needs what to add, did you mean \"api\"?'",
    "api, add api needs one name",
    "api Cart Basket, add api needs one name",
    "api cart, \"cart\" cannot be a kind",
    "webhook Web-site, \"Web-site\" cannot be a kind",
    "api Cart --package a.class, \"a.class\" is no name of a package",
  })
  void wrongUse_isRefused_inOneLine(String command, String why) throws Exception {
    Map<String, String> before = files();
    assertThatThrownBy(() -> add(command.split(" ")))
        .isInstanceOf(CommandException.class)
        .hasMessageStartingWith(why)
        .message()
        .hasLineCount(1);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void aFolderWithoutControllers_isNoProject() throws Exception {
    Files.delete(folder.resolve(ProjectTemplate.SERVICES));
    assertThatThrownBy(() -> add("api", "Cart"))
        .isInstanceOf(HostException.class)
        .hasMessageStartingWith(folder + " is not a project with controllers: ");
  }

  @Test
  void webhooks_needTheDefinitionAndTheExample_forTheirTest() throws Exception {
    add("api", "Cart");
    Files.delete(folder.resolve("src/main/k8s/examples/cart.yaml"));
    assertThatThrownBy(() -> add("webhook", "Cart"))
        .hasMessageStartingWith("there is no src/main/k8s/examples/cart.yaml, an object");
    Files.delete(
        folder.resolve(
            "src/main/resources/coxswain/dev/" + folder.getFileName() + "/crd-carts.yaml"));
    assertThatThrownBy(() -> add("webhook", "Cart"))
        .hasMessageStartingWith("there is no src/main/resources/coxswain/dev/*/crd-carts.yaml");
  }

  private void add(String... arguments) throws HostException {
    new AddCommand(folder, new PrintStream(printed, true, StandardCharsets.UTF_8))
        .run(Stream.of(arguments).filter(word -> !word.isEmpty()).toList());
  }

  private Map<String, String> files() throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        texts.put(folder.relativize(file).toString(), Files.readString(file));
      }
    }
    return texts;
  }
}
