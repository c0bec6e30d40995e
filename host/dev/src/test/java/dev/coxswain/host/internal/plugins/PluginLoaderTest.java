// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import static dev.coxswain.testing.PluginJars.definition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.testing.PluginJars;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of plug-ins, their classes and resources, and the looks at their folder. */
class PluginLoaderTest {

  private static final long MEMORY = 64 << 20;

  @TempDir private Path work;
  private PluginJars jars;
  private Path folder;

  @BeforeEach
  void open() throws IOException {
    jars = new PluginJars(work);
    folder = Files.createDirectories(work.resolve("plugins"));
  }

  private LoadedPlugin load(String name) throws Exception {
    return LoadedPlugin.load(
        name,
        PluginContents.read(files(name), new PluginMemory(MEMORY)),
        _ -> true,
        ControllerDefinition.class.getClassLoader());
  }

  private PluginFiles files(String name) throws IOException {
    return Objects.requireNonNull(PluginFiles.look(folder).get(name));
  }

  private static String read(URL url) throws IOException {
    try (InputStream in = url.openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void classesOfTheApi_areShared_andOthersAreThePluginsOwn() throws Exception {
    Map<String, byte[]> entries = jars.plugin(List.of("One"), definition("One", "one"));
    // A copy of a class of the host that is not of the API, and of one that is.
    for (Class<?> copied : List.of(PluginJarCopy.class, org.assertj.core.api.Assertions.class)) {
      String path = copied.getName().replace('.', '/') + ".class";
      try (InputStream in = copied.getClassLoader().getResourceAsStream(path)) {
        entries.put(path, in.readAllBytes());
      }
    }
    entries.put("own.txt", "mine".getBytes(StandardCharsets.UTF_8));
    jars.write(folder.resolve("one.jar"), entries);
    ClassLoader loader = load("one").found().getFirst().getClass().getClassLoader();

    assertThat(loader.loadClass(Kubernetes.class.getName())).isSameAs(Kubernetes.class);
    assertThat(loader.loadClass(PluginJarCopy.class.getName())).isSameAs(PluginJarCopy.class);
    assertThat(loader.loadClass("org.assertj.core.api.Assertions").getClassLoader())
        .isSameAs(loader);
    assertThat(loader.loadClass("One").getClassLoader()).isSameAs(loader);
    assertThat(read(loader.getResource("own.txt"))).isEqualTo("mine");
    assertThat(loader.getResource("not-there.txt")).isNull();
    assertThatThrownBy(() -> loader.loadClass("NotThere"))
        .isInstanceOf(ClassNotFoundException.class);
  }

  /** A class in a package of the API that the host has, and a copy of it in the plug-in. */
  static final class PluginJarCopy {}

  @Test
  void aFolderOfJars_isOnePlugin_whoseResourcesAreFoundInAllOfThem() throws Exception {
    jars.write(folder.resolve("both/a.jar"), jars.plugin(List.of("One"), definition("One", "one")));
    jars.write(folder.resolve("both/b.jar"), jars.plugin(List.of("Two"), definition("Two", "two")));
    Files.createDirectories(folder.resolve("classes")); // a folder without a jar is none
    Files.writeString(folder.resolve("notes.txt"), "no plug-in");
    assertThat(PluginFiles.look(folder)).containsOnlyKeys("both");
    LoadedPlugin loaded = load("both");
    assertThat(loaded.definitions()).containsOnlyKeys("one", "two");
    ClassLoader loader = loaded.found().getFirst().getClass().getClassLoader();
    assertThat(
            Collections.list(
                loader.getResources("META-INF/services/" + ControllerDefinition.class.getName())))
        .hasSize(2);
  }

  @Test
  void aMultiReleaseJar_hasTheClassesOfThisJvm() throws Exception {
    Map<String, byte[]> entries = new TreeMap<>();
    entries.putAll(jars.plugin(List.of("One"), definition("One", "one")));
    entries.put("which.txt", "base".getBytes(StandardCharsets.UTF_8));
    entries.put("META-INF/versions/17/which.txt", "17".getBytes(StandardCharsets.UTF_8));
    entries.put("META-INF/versions/9/which.txt", "9".getBytes(StandardCharsets.UTF_8));
    entries.put("META-INF/versions/8/which.txt", "8".getBytes(StandardCharsets.UTF_8));
    entries.put("META-INF/versions/9/META-INF/which.txt", "never".getBytes(StandardCharsets.UTF_8));
    entries.put("META-INF/versions/999/which.txt", "999".getBytes(StandardCharsets.UTF_8));
    entries.put(
        "META-INF/MANIFEST.MF",
        "Manifest-Version: 1.0\nMulti-Release: true\n\n".getBytes(StandardCharsets.UTF_8));
    jars.write(folder.resolve("many.jar"), entries);
    ClassLoader loader = load("many").found().getFirst().getClass().getClassLoader();
    assertThat(read(loader.getResource("which.txt"))).isEqualTo("17");
    assertThat(loader.getResource("META-INF/which.txt")).isNull();
    assertThat(loader.getResource("META-INF/versions/8/which.txt")).isNull();
  }

  @Test
  void namesThatAreNone_andAJarBesideAFolder_areProblems() throws Exception {
    Map<String, byte[]> entries = jars.compile("class One {}");
    jars.write(folder.resolve("a b.jar"), entries);
    jars.write(folder.resolve("same.jar"), entries);
    jars.write(folder.resolve("same/one.jar"), entries);
    jars.write(folder.resolve(".hidden.jar"), entries);
    assertThat(PluginFiles.look(folder)).containsOnlyKeys("a b", "same");
    assertThat(files("a b").problem()).contains("rename it");
    assertThat(files("same").problem()).contains("a jar and a folder");
    assertThatThrownBy(() -> PluginContents.read(files("same"), new PluginMemory(MEMORY)))
        .isInstanceOf(PluginException.class);
  }

  /** It is deflated, so what does not deflate shows what is taken. */
  @Test
  void contentsThatNeedMoreMemoryThanIsFree_areRefused_andTakeNothing() throws Exception {
    byte[] random = new byte[3 << 20];
    new java.util.Random(1).nextBytes(random);
    Map<String, byte[]> entries = jars.plugin(List.of("One"), definition("One", "one"));
    entries.put("a.bin", random);
    jars.write(folder.resolve("one.jar"), entries);
    entries.put("b.bin", random);
    jars.write(folder.resolve("two.jar"), entries);
    PluginMemory memory = new PluginMemory(5 << 20);

    PluginContents one = PluginContents.read(files("one"), memory);
    assertThat(memory.free()).isBetween(1L << 20, 2L << 20);
    assertThat(one.bytes()).isGreaterThan(3 << 20);
    for (String name : List.of("one", "two")) {
      long free = memory.free();
      assertThatThrownBy(() -> PluginContents.read(files(name), memory))
          .isInstanceOf(PluginException.class)
          .hasMessageContaining("more than 5 MiB of memory");
      assertThat(memory.free()).isEqualTo(free);
    }
    one.release();
    one.release();
    assertThat(memory.free()).isEqualTo(5 << 20);
    var entry = PluginContents.read(files("one"), memory).entries().get("a.bin");
    assertThat(Objects.requireNonNull(entry).getFirst().bytes()).isEqualTo(random);
  }

  /** One that is still being written, although two looks at it were equal. */
  @Test
  void aJarThatIsNotAsItWasFound_isRefused() throws Exception {
    Map<String, byte[]> entries = jars.plugin(List.of("One"), definition("One", "one"));
    jars.write(folder.resolve("one.jar"), entries);
    PluginFiles found = files("one");
    entries.put("more.txt", new byte[1]);
    jars.write(folder.resolve("one.jar"), entries);
    assertThatThrownBy(() -> PluginContents.read(found, new PluginMemory(MEMORY)))
        .hasMessageContaining("one.jar changed while it was read");
  }

  @Test
  void aFileThatChangedBetweenTwoLooks_waits() throws Exception {
    Map<String, byte[]> entries = jars.plugin(List.of("One"), definition("One", "one"));
    Path jar = folder.resolve("one.jar");
    try (PluginHost host =
        new PluginHost(
            Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT),
            folder,
            List.of(),
            "plugins.scanInterval=1h")) {
      jars.write(work.resolve("whole.jar"), entries);
      byte[] whole = Files.readAllBytes(work.resolve("whole.jar"));
      for (int length = 100; length < whole.length; length += 200) {
        Files.write(jar, Arrays.copyOf(whole, length));
        assertThat(host.plugins().look(_ -> false)).isEmpty();
      }
      Files.write(jar, whole);
      assertThat(host.plugins().look(_ -> false)).isEmpty();
      assertThat(host.plugins().plugins()).isEmpty();
      Future.join(host.plugins().look(_ -> false)).await();
      assertThat(host.plugin("one").phase()).isEqualTo(Phase.RUNNING);

      Files.setLastModifiedTime(jar, java.nio.file.attribute.FileTime.fromMillis(1));
      assertThat(host.plugins().look(_ -> false)).isEmpty();
      Future.join(host.plugins().look(_ -> false)).await();
      assertThat(host.plugin("one").deployments()).as("the same contents").isEqualTo(1);

      Files.delete(jar);
      host.plugins().look(_ -> false);
      assertThat(host.plugin("one").phase()).isEqualTo(Phase.RUNNING);
      host.plugins().look(_ -> false);
      PluginHost.await(() -> host.plugins().plugins().isEmpty());
    }
  }
}
