// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The descriptor, which is written by hand, against the class that it is about. */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // read() comes first
class PluginDescriptorTest {

  private Element plugin;

  @BeforeAll
  void read() throws Exception {
    try (InputStream in = MavenCommand.class.getResourceAsStream("/META-INF/maven/plugin.xml")) {
      plugin =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(Objects.requireNonNull(in))
              .getDocumentElement();
    }
  }

  @Test
  void theDescriptor_hasTheVersionOfTheBuild_andThePrefix() {
    assertThat(text(plugin, "version")).hasSize(1).first().asString().matches("\\d+\\.\\d+.*");
    assertThat(text(plugin, "goalPrefix")).containsExactly("coxswain");
  }

  @Test
  void theGoals_areTheCommandsForProjects() {
    assertThat(text(plugin, "goal"))
        .containsExactly("dev", "crds", "rbac", "verify", "chart", "bundle", "image");
  }

  /** Maven sets fields by their names, and fails where there is none only when the goal runs. */
  @Test
  void eachGoal_setsEachFieldOfTheClass_toTheTypeOfTheField() throws Exception {
    List<String> fields =
        Arrays.stream(MavenCommand.class.getDeclaredFields())
            .filter(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
            .map(field -> field.getName() + " " + field.getType().getName())
            .toList();
    for (Element mojo : all(plugin, "mojo")) {
      String goal = text(mojo, "goal").get(0);
      assertThat(text(mojo, "implementation"))
          .as(goal)
          .containsExactly(MavenCommand.class.getName());
      List<String> names = text((Element) mojo.getElementsByTagName("parameters").item(0), "name");
      List<String> types = text(mojo, "type");
      List<String> roles = text(mojo, "role");
      List<String> roleFields = text(mojo, "field-name");
      List<String> set =
          new ArrayList<>(
              IntStream.range(0, names.size())
                  .mapToObj(i -> names.get(i) + " " + types.get(i))
                  .toList());
      IntStream.range(0, roles.size())
          .mapToObj(i -> roleFields.get(i) + " " + roles.get(i))
          .forEach(set::add);
      assertThat(set).as(goal).containsExactlyInAnyOrderElementsOf(fields);
      for (String parameter : names) {
        assertThat(all(mojo, "configuration").get(0).getElementsByTagName(parameter).getLength())
            .as("%s: value of %s", goal, parameter)
            .isEqualTo(1);
      }
    }
  }

  private static List<String> text(Element in, String name) {
    return all(in, name).stream().map(Element::getTextContent).toList();
  }

  private static List<Element> all(Element in, String name) {
    NodeList nodes = in.getElementsByTagName(name);
    return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i)).toList();
  }
}
